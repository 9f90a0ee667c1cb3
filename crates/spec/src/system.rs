//! A system: devices, the hosts and links that serve them, and who does what.
//!
//! ```toml
//! name = "two-rpus"
//! title = "A client, a link, a server with two RPUs"
//!
//! [hosts]                      # by names of this file's own
//! controller = "blackparrot-published"
//!
//! [links]
//! radio = "5g-max"
//! port = "pcie3-x16"
//!
//! [devices.client]
//! machine = "cpu"
//!
//! [devices.rpu-0]
//! machine = "rpu-128x128"
//! host = "controller"          # does what the machine leaves to it
//! link = "port"                # what operands and results cross
//!
//! [work]
//! client = "client"            # encrypts and decrypts
//! network = "radio"            # between client and server
//! server = ["rpu-0"]           # run programs; ciphertexts are dealt to them in turn
//! ```
//!
//! Machines, hosts and links are given by name or path, as everywhere, and are read with the system.
//! Devices that name one host have one each of that kind: a host serves one device.

use crate::description::{is_name, is_text, NAME_ALLOWED, TEXT_ALLOWED};
use crate::document::Document;
use crate::error::SpecError;
use crate::host::Host;
use crate::link::Link;
use crate::machine::Machine;
use crate::one_line::one_line;
use crate::shipped::{self, Shipped};
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};
use toml::Spanned;

/// A checked system description.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    name: String,
    title: String,
    client: Device,
    network: Link,
    server: Vec<Device>,
}

/// A machine with what serves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// Its name in the system.
    pub name: String,
    /// What it is.
    pub machine: Machine,
    /// What it leaves to somebody, this does; `None` where nothing is said.
    pub host: Option<Host>,
    /// What its operands and results cross; `None` where they need not travel.
    pub link: Option<Link>,
}

impl System {
    /// The systems that ship with the program.
    pub fn shipped() -> &'static [Shipped] {
        shipped::SYSTEMS
    }

    /// Reads a system by name or path, as [`Machine::load`] does.
    pub fn load(name_or_path: &str) -> Result<Self, SpecError> {
        let (file, text) = shipped::find_or_read("system", shipped::SYSTEMS, name_or_path)?;
        Self::parse(&file, &text)
    }

    /// Checks the text of a system file; `file` is what errors call it.
    pub fn parse(file: &str, text: &str) -> Result<Self, SpecError> {
        let doc = Document::parse(file, text)?;
        let keys = ["name", "title", "hosts", "links", "devices", "work"];
        doc.only_keys(&doc.root, &keys)?;
        let name = doc.text(&doc.root, "name", NAME_ALLOWED, is_name)?;
        let title = doc.text(&doc.root, "title", TEXT_ALLOWED, is_text)?;
        let hosts = named(&doc, "hosts", Host::load)?;
        let links = named(&doc, "links", Link::load)?;
        let devices = devices(&doc, &hosts, &links)?;
        let work = table(&doc, &doc.root, "work")?;
        doc.only_keys(work, &["client", "network", "server"])?;
        let client = doc.require(work, "client", &one_of(&devices))?;
        let network = doc.require(work, "network", &one_of(&links))?;
        Ok(Self {
            name,
            title,
            client: known(&doc, "work.client", client, &devices)?,
            network: known(&doc, "work.network", network, &links)?,
            server: server(&doc, work, &devices)?,
        })
    }

    /// Short name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is, in a few words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Encrypts and decrypts.
    pub fn client(&self) -> &Device {
        &self.client
    }

    /// Between client and server.
    pub fn network(&self) -> &Link {
        &self.network
    }

    /// What runs programs, each once; never empty. Ciphertexts are dealt to them in turn.
    pub fn server(&self) -> &[Device] {
        &self.server
    }
}

/// Descriptions by this file's own names for them; none where the table is absent.
fn named<T>(
    doc: &Document<'_>,
    key: &'static str,
    load: fn(&str) -> Result<T, SpecError>,
) -> Result<BTreeMap<String, T>, SpecError> {
    if !doc.root.contains_key(key) {
        return Ok(BTreeMap::new());
    }
    let given = table(doc, &doc.root, key)?.iter();
    let each = given.map(|(own, value)| {
        let path = format!("{key}.{}", one_line(own.get_ref()));
        Ok((own_name(doc, own)?, loaded(doc, &path, value, load)?))
    });
    each.collect()
}

fn devices(
    doc: &Document<'_>,
    hosts: &BTreeMap<String, Host>,
    links: &BTreeMap<String, Link>,
) -> Result<BTreeMap<String, Device>, SpecError> {
    let given = table(doc, &doc.root, "devices")?;
    let mut devices = BTreeMap::new();
    for (own, value) in given {
        let name = own_name(doc, own)?;
        let path = |key: &str| format!("devices.{name}.{key}");
        let DeValue::Table(each) = value.get_ref() else {
            let wanted = "a table with machine, and host and link where it has them";
            return Err(doc.not_allowed(&format!("devices.{name}"), value, wanted));
        };
        doc.only_keys(each, &["machine", "host", "link"])?;
        let machine = each.get("machine").ok_or_else(|| SpecError::Missing {
            file: doc.file.clone(),
            key: path("machine"),
            allowed: "a machine's name or path".to_owned(),
        })?;
        let machine = loaded(doc, &path("machine"), machine, Machine::load)?;
        let host = each.get("host");
        let host = host.map(|value| known(doc, &path("host"), value, hosts));
        let link = each.get("link");
        let link = link.map(|value| known(doc, &path("link"), value, links));
        let device = Device {
            name: name.clone(),
            machine,
            host: host.transpose()?,
            link: link.transpose()?,
        };
        devices.insert(name, device);
    }
    Ok(devices)
}

fn server(
    doc: &Document<'_>,
    work: &DeTable<'_>,
    devices: &BTreeMap<String, Device>,
) -> Result<Vec<Device>, SpecError> {
    let allowed = format!("a list of {}, each once", one_of(devices));
    let given = doc.require(work, "server", &allowed)?;
    let refused = || doc.not_allowed("work.server", given, &allowed);
    let DeValue::Array(list) = given.get_ref() else {
        return Err(refused());
    };
    let each = list.iter();
    let each = each.map(|value| known(doc, "work.server", value, devices));
    let server: Vec<Device> = each.collect::<Result<_, _>>()?;
    let repeated = |(at, one): (usize, &Device)| server[..at].iter().any(|e| e.name == one.name);
    match server.is_empty() || server.iter().enumerate().any(repeated) {
        true => Err(refused()),
        false => Ok(server),
    }
}

fn table<'d, 't>(
    doc: &Document<'t>,
    within: &'d DeTable<'t>,
    key: &str,
) -> Result<&'d DeTable<'t>, SpecError> {
    let value = doc.require(within, key, "a table")?;
    match value.get_ref() {
        DeValue::Table(table) => Ok(table),
        _ => Err(doc.not_allowed(key, value, "a table")),
    }
}

/// A name that this file gives to something.
fn own_name(doc: &Document<'_>, key: &Spanned<impl AsRef<str>>) -> Result<String, SpecError> {
    let name = key.get_ref().as_ref();
    match is_name(name) {
        true => Ok(name.to_owned()),
        false => Err(SpecError::NotAllowed {
            place: doc.place(key),
            key: one_line(name),
            given: one_line(name),
            allowed: NAME_ALLOWED.to_owned(),
        }),
    }
}

/// A description that a value names; what is wrong with the name is said at the value.
fn loaded<T>(
    doc: &Document<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
    load: fn(&str) -> Result<T, SpecError>,
) -> Result<T, SpecError> {
    let DeValue::String(name) = value.get_ref() else {
        return Err(doc.not_allowed(key, value, "a name, or the path of a .toml file"));
    };
    load(name).map_err(|error| SpecError::Within {
        place: doc.place(value),
        key: key.to_owned(),
        error: Box::new(error),
    })
}

/// What a value names among this file's own.
fn known<T: Clone>(
    doc: &Document<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
    all: &BTreeMap<String, T>,
) -> Result<T, SpecError> {
    let found = match value.get_ref() {
        DeValue::String(name) => all.get(name.as_ref()),
        _ => None,
    };
    found
        .cloned()
        .ok_or_else(|| doc.not_allowed(key, value, &one_of(all)))
}

fn one_of<T>(all: &BTreeMap<String, T>) -> String {
    match all.is_empty() {
        true => "nothing, for the file has none".to_owned(),
        false => all
            .keys()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RADIO: &str = "[links]\nradio = \"5g-max\"\n";
    const CLIENT: &str = "[devices.a]\nmachine = \"cpu\"\n";
    const WORK: &str = "[work]\nclient = \"a\"\nnetwork = \"radio\"\nserver = [\"a\"]\n";

    fn system(tables: &[&str]) -> Result<System, String> {
        let text = format!("name = \"s\"\ntitle = \"t\"\n{}", tables.concat());
        System::parse("s.toml", &text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_system_has_what_its_file_says() {
        let mut others = Machine::shipped().iter().map(|shipped| shipped.name);
        let other = others.find(|name| *name != "cpu").expect("one ships");
        let second = format!(
            "[hosts]\nh = \"blackparrot-published\"\n\
             [devices.b]\nmachine = \"{other}\"\nhost = \"h\"\nlink = \"radio\"\n"
        );
        let work = WORK.replace("[\"a\"]", "[\"b\", \"a\"]");
        let system = system(&[RADIO, &second, CLIENT, &work]).expect("sound");
        assert_eq!(system.client().machine.name(), "cpu");
        assert_eq!(system.network().name(), "5g-max");
        let names: Vec<&str> = system
            .server()
            .iter()
            .map(|each| each.name.as_str())
            .collect();
        assert_eq!(names, ["b", "a"]);
        let first = &system.server()[0];
        let host = first.host.as_ref().map(|host| host.name());
        assert_eq!(
            (host, first.machine.name()),
            (Some("blackparrot-published"), other)
        );
        assert!(system.client().link.is_none());
    }

    #[test]
    fn refusals_name_file_line_key_and_what_is_allowed() {
        let refused = |tables: &[&str], parts: &[&str]| {
            let message = system(tables).expect_err("refused");
            assert!(message.starts_with("s.toml"), "{message}");
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        };
        let with = |from: &str, to: &str| WORK.replace(from, to);
        refused(&[RADIO, CLIENT], &["work"]);
        refused(&[CLIENT, WORK], &["work.network", "nothing"]);
        let wrong = with("client = \"a\"", "client = \"b\"");
        refused(
            &[RADIO, CLIENT, &wrong],
            &["s.toml:8", "work.client", "\"b\"", "allowed is a"],
        );
        let twice = with("[\"a\"]", "[\"a\", \"a\"]");
        refused(&[RADIO, CLIENT, &twice], &["work.server", "each once"]);
        let none = with("[\"a\"]", "[]");
        refused(&[RADIO, CLIENT, &none], &["work.server"]);
        let machine = CLIENT.replace("cpu", "cpuu");
        refused(
            &[RADIO, &machine, WORK],
            &["s.toml:6", "devices.a.machine", "cpuu", "cpu"],
        );
        let host = format!("{CLIENT}host = \"h\"\n");
        refused(&[RADIO, &host, WORK], &["devices.a.host", "nothing"]);
        refused(&[RADIO, "[devices.a]\n", WORK], &["devices.a.machine"]);
        refused(&[RADIO, CLIENT, WORK, "speed = 1\n"], &["speed", "client"]);
    }

    #[test]
    fn every_shipped_system_is_sound_and_has_its_files_name() {
        for shipped in System::shipped() {
            let system = System::load(shipped.name).expect("sound");
            assert_eq!(system.name(), shipped.name);
        }
    }
}
