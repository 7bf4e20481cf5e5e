"""Contexts, modules and their building"""

from collections.abc import Sequence


class Location:
    def __str__(self) -> str: ...

class Type:
    def __str__(self) -> str: ...

    def __eq__(self, arg: Type, /) -> bool: ...

    def __hash__(self) -> "llvm::hash_code": ...

class Attribute:
    def __str__(self) -> str: ...

    def __eq__(self, arg: Attribute, /) -> bool: ...

    def __hash__(self) -> "llvm::hash_code": ...

class Context:
    """
    One MLIR context; operations of dialects that it does not know are refused
    """

    def __init__(self) -> None: ...

    def type(self, source: str) -> Type:
        """Parses a type; VerifyError with MLIR's words"""

    def attribute(self, source: str) -> Attribute:
        """Parses an attribute; VerifyError with MLIR's words"""

    def location(self, file: str, line: int, column: int = 0, caller: Location | None = None) -> Location:
        """A place in a file, called from `caller` where that is given"""

    def knows(self, name: str) -> bool:
        """Whether an operation of this name is registered"""

class Value:
    @property
    def type(self) -> Type: ...

    @property
    def used(self) -> bool: ...

    def __eq__(self, arg: Value, /) -> bool: ...

    def __hash__(self) -> "llvm::hash_code": ...

    def __str__(self) -> str: ...

class Block:
    def add_argument(self, type: Type, location: Location) -> Value: ...

    def create(self, name: str, operands: Sequence[Value], results: Sequence[Type], attributes: object | None, location: Location, regions: Sequence[Region] = []) -> Operation:
        """
        Appends an operation. Regions move into it. VerifyError for a name that is not registered
        """

    def value(self, name: str, operands: Sequence[Value], type: Type, attributes: object | None, location: Location) -> Value:
        """Appends an operation of one result and gives that"""

    def prepend(self, other: Block) -> None:
        """Moves the operations of `other` to the front of this block"""

class Region:
    """
    A region of one block, to be filled before the operation that it goes into
    """

    def __init__(self, arg: Module, /) -> None: ...

    @property
    def block(self) -> Block: ...

    def keep_arguments(self, kept: Sequence[bool], replacements: Sequence[Value], first: int = 0) -> None: ...

    def discard(self) -> None: ...

class Operation:
    @property
    def name(self) -> str: ...

    @property
    def results(self) -> list[Value]: ...

    def __str__(self) -> str: ...

class Module:
    @staticmethod
    def create(context: Context, location: Location) -> Module: ...

    @staticmethod
    def parse(context: Context, source: str, name: str = '<module>') -> Module: ...

    @property
    def body(self) -> Block: ...

    def set(self, name: str, attribute: Attribute) -> None:
        """Sets an attribute of the module itself"""

    def verify(self) -> None:
        """VerifyError at the place of the first operation that is wrong"""

    def clone(self) -> Module: ...

    def str(self, locations: bool = False) -> str: ...

    def __str__(self) -> str: ...
