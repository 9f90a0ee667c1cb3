#include <stdio.h>
#include <stdlib.h>

static word hexadecimal(void)
{
    char digits[64];
    word value = 0;
    if (scanf("%63s", digits) != 1)
        exit(2);
    for (const char *c = digits; *c; c++)
        value = value << 4 | (word)(*c <= '9' ? *c - '0' : *c - 'a' + 10);
    return value;
}

int main(void)
{
    static word words[transform_WORDS], scratch[transform_SCRATCH], table[transform_TABLE];
    word q = hexadecimal();
    if (transform_table(q, table))
        return 1;
    for (size_t i = 0; i < transform_WORDS; i++)
        words[i] = hexadecimal();
    transform(words, scratch, table);
    for (size_t i = 0; i < transform_WORDS; i++)
        printf("%llx%016llx\n", (unsigned long long)(words[i] >> 64), (unsigned long long)words[i]);
    return 0;
}
