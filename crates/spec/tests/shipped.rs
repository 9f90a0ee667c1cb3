//! The files that ship: all listed, all sound, their sources filled in.

use ringwright_spec::{schema, targets, Host, Link, Machine, Measure, Of, Shipped};
use std::collections::BTreeSet;
use std::path::Path;

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Names of the TOML files in a folder: a file that nobody listed would be dead.
fn files(folder: &str) -> BTreeSet<String> {
    std::fs::read_dir(repository().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect()
}

fn names(list: &[Shipped]) -> BTreeSet<String> {
    list.iter()
        .map(|shipped| shipped.name.to_string())
        .collect()
}

#[test]
fn every_file_is_listed_and_says_its_own_name() {
    assert_eq!(files("machines"), names(Machine::shipped()));
    assert_eq!(files("machines/links"), names(Link::shipped()));
    assert_eq!(files("machines/hosts"), names(Host::shipped()));
    for shipped in Machine::shipped() {
        assert_eq!(Machine::load(shipped.name).unwrap().name(), shipped.name);
    }
    for shipped in Link::shipped() {
        assert_eq!(Link::load(shipped.name).unwrap().name(), shipped.name);
    }
    for shipped in Host::shipped() {
        assert_eq!(Host::load(shipped.name).unwrap().name(), shipped.name);
    }
}

#[test]
fn everything_under_spec_is_a_target_the_link_the_host_the_silicon_or_the_units() {
    let folders: BTreeSet<String> = std::fs::read_dir(repository().join("spec"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    let declared = targets()
        .into_iter()
        .chain(["link", "host", "silicon", "units.toml"])
        .map(str::to_string)
        .collect();
    assert_eq!(folders, declared);
}

#[test]
fn shipped_descriptions_give_every_value_themselves() {
    let machines = Machine::shipped()
        .iter()
        .map(|s| Machine::load(s.name).unwrap());
    for machine in machines {
        assert!(
            machine.values().all(|(_, value)| value.given),
            "{}",
            machine.name()
        );
    }
    for link in Link::shipped().iter().map(|s| Link::load(s.name).unwrap()) {
        assert!(
            link.values().all(|(_, value)| value.given),
            "{}",
            link.name()
        );
    }
}

#[test]
fn shipped_machines_say_whose_their_clock_is() {
    for shipped in Machine::shipped() {
        let machine = Machine::load(shipped.name).unwrap();
        let clocked = machine.value("clock_fs").is_some();
        let said = machine.clock_provenance().is_some();
        assert_eq!(said, clocked, "{}", machine.name());
    }
}

#[test]
fn a_file_by_path_reads_like_the_same_file_by_name() {
    for shipped in Machine::shipped() {
        let path = repository().join(shipped.file);
        let by_path = Machine::load(path.to_str().unwrap()).unwrap();
        assert_eq!(by_path, Machine::load(shipped.name).unwrap());
    }
}

#[test]
fn values_are_read_by_their_declared_type() {
    let machine = Machine::load("cpu-1").unwrap();
    assert_eq!(machine.target(), "cpu");
    assert_eq!(machine.int("threads").unwrap(), 1);
    assert_eq!(machine.text("isa").unwrap(), "auto");
    let wrong = machine.float("threads").unwrap_err().to_string();
    assert_eq!(
        wrong,
        "cpu-1: no float parameter `threads` is declared for cpu"
    );
    assert!(machine.bool("frequency").is_err());
}

#[test]
fn pcie_rate_follows_from_lanes_transfers_and_coding() {
    let lanes = 16_u64;
    for (name, transfers_per_second) in
        [("pcie3-x16", 8_000_000_000), ("pcie5-x16", 32_000_000_000)]
    {
        let rate = Link::load(name).unwrap().bits_per_second();
        assert_eq!(rate, lanes * transfers_per_second * 128 / 130);
    }
    let flits = lanes * 32_000_000_000 * 128 / 130;
    let cxl = Link::load("cxl").unwrap();
    assert_eq!(cxl.bits_per_second(), flits * 64 / 68);
    let driver = Link::load("pcie5-x16").unwrap().setup_ns();
    assert_eq!(cxl.setup_ns(), driver * (100 - 68) / 100);
}

#[test]
fn axi_rate_and_set_up_follow_from_width_clocks_and_period() {
    let (width, clock_hz, clocks) = (128, 1_000_000_000, 10 + 28 + 6);
    let axi = Link::load("axi").unwrap();
    assert_eq!(axi.bits_per_second(), width * clock_hz);
    assert_eq!(axi.setup_ns(), clocks * 1_000_000_000 / clock_hz);
}

#[test]
fn five_g_rates_carry_the_frame_rates_that_the_papers_print() {
    let ciphertext_bits = 2 * 16384 * 390;
    let whole_frames = |name: &str, ciphertexts_times_8: u64| {
        8 * Link::load(name).unwrap().bits_per_second() / (ciphertexts_times_8 * ciphertext_bits)
    };
    // Azad's dissertation, figure 3-9: whole ciphertexts, 1 a QQVGA frame and 3 a QVGA frame.
    assert_eq!(
        [whole_frames("5g-max", 8), whole_frames("5g-max", 24)],
        [70, 23]
    );
    assert_eq!(
        [whole_frames("5g-min", 8), whole_frames("5g-min", 24)],
        [7, 2]
    );
    // RACE, figure 7: 0.625 and 2.5 ciphertexts; it prints 111 and 28, 12 and 3.
    assert_eq!(
        [whole_frames("5g-max", 20), whole_frames("5g-min", 20)],
        [28, 3]
    );
    assert_eq!(whole_frames("5g-min", 5), 12);
}

#[test]
fn a_missing_value_takes_the_declared_default_and_its_source() {
    let text = "name = \"mine\"\ntarget = \"cpu\"\ntitle = \"t\"\n";
    let machine = Machine::parse("mine.toml", text).unwrap();
    let declared = schema("cpu").unwrap().param("threads").unwrap();
    let value = machine.value("threads").unwrap();
    assert_eq!(Some(&value.setting), declared.default.as_ref());
    assert_eq!(value.source, declared.source);
    assert!(!value.given);
}

/// The strict machine is its base with the declared readings, and nothing is stricter.
#[test]
fn the_strict_machine_is_the_published_one_read_strictly() {
    let load = |name| Machine::load(name).unwrap();
    let (published, strict) = (load("rpu-128x128"), load("rpu-128x128-strict"));
    let read = published.read_strictly().unwrap();
    assert_eq!(read.identity(), strict.identity());
    assert_eq!(strict.read_strictly(), None);
    let gap = read.value("gap").unwrap();
    let declared = published.schema().param("gap").unwrap();
    assert_eq!(
        Some(&gap.source),
        declared.strict.as_ref().map(|s| &s.source)
    );
    // Harsher values than the declared reading stay.
    let text = include_str!("../../../machines/rpu-128x128.toml");
    let slower = text.replace("gap = { value = 0", "gap = { value = 2");
    let slower = Machine::parse("slower.toml", &slower).unwrap();
    assert_eq!(slower.read_strictly().unwrap().int("gap").unwrap(), 2);
}

#[test]
fn values_with_units_read_like_the_plain_ones() {
    let read = |parameters: &str| {
        let head = "name = \"mine\"\ntarget = \"rpu\"\ntitle = \"t\"\n[parameters]\n";
        Machine::parse("mine.toml", &format!("{head}{parameters}")).unwrap()
    };
    let with_units = read(
        "dma_bandwidth = { value = \"512 GB/s\", source = \"s\" }\n\
         vdm_capacity = { value = \"4 MiB\", source = \"s\" }\n\
         sdm_words = { value = \"32 KiB\", source = \"s\" }\n\
         im_capacity = { value = \"512 KiB\", source = \"s\" }\n\
         clock = { value = \"1.68 GHz\", source = \"s\" }\n",
    );
    let (word_bits, instruction_bits) = (128, 64);
    let plain = read(&format!(
        "dma_bits_per_second = {{ value = 4_096_000_000_000, source = \"s\" }}\n\
         vdm_words = {{ value = {}, source = \"s\" }}\n\
         sdm_words = {{ value = {}, source = \"s\" }}\n\
         im_words = {{ value = {}, source = \"s\" }}\n\
         clock_fs = {{ value = 595_238, source = \"s\" }}\n",
        (4 << 23) / word_bits,
        (32 << 13) / word_bits,
        (512 << 13) / instruction_bits,
    ));
    assert_eq!(with_units, plain);
}

#[test]
fn an_instruction_has_the_bits_that_its_encoding_has() {
    let isa = std::fs::read_to_string(repository().join("spec/rpu/isa.toml")).unwrap();
    let isa: toml::Table = toml::from_str(&isa).unwrap();
    let declared = schema("rpu").unwrap().param("im_words").unwrap();
    let bits = isa["bits"].as_integer().unwrap();
    let quantity = declared.quantity.as_ref().unwrap();
    assert_eq!(quantity.measure, Measure::Capacity(Of::Number(bits)));
}
