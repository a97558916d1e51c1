"""kinds.py - PTX types: their sizes and what they are in C++"""

SIZE = {
    "b8": 1, "u8": 1, "s8": 1,
    "b16": 2, "u16": 2, "s16": 2,
    "b32": 4, "u32": 4, "s32": 4, "f32": 4,
    "b64": 8, "u64": 8, "s64": 8, "f64": 8,
    "b128": 16,
    "pred": 0,
}

CPP = {
    "b8": "uint8_t", "u8": "uint8_t", "s8": "int8_t",
    "b16": "uint16_t", "u16": "uint16_t", "s16": "int16_t",
    "b32": "uint32_t", "u32": "uint32_t", "s32": "int32_t",
    "b64": "uint64_t", "u64": "uint64_t", "s64": "int64_t",
    "f32": "float", "f64": "double",
    "pred": "bool",
}

# What a register of a size is in C++: bits, which instructions read as a type.
REGISTER = {0: "bool", 1: "uint8_t", 2: "uint16_t", 4: "uint32_t",
            8: "uint64_t"}

INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
BITS = ("b16", "b32", "b64")
FLOATS = ("f32", "f64")


def signed(kind):
    return kind[0] == "s"


def unsigned_of(kind):
    """The unsigned type of the same size."""
    return f"u{SIZE[kind] * 8}"


def wider(kind):
    """The type of twice the size."""
    return f"{kind[0]}{SIZE[kind] * 16}"
