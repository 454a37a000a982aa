//! Names that a statement gives to values: parameters of lambdas and variables of list comprehensions.

use crate::parser::Parser;
use crate::structure::FrameKind;
use crate::token::{Kind, offset};
use crate::word::Word;

impl Parser<'_> {
    /// The parameters behind `lambda`, or the variables behind the `for` of a list comprehension.
    pub(crate) fn variables(&mut self, at: usize) {
        if self.word_at(at) == Word::For && self.frame().kind != FrameKind::Brackets {
            return;
        }
        self.out.has_lambda = true;
        let mut next = at + 1;
        while self.is_name(next) {
            self.out.variables.push(offset(next));
            if self.op_at(next + 1) != b',' {
                break;
            }
            next += 2;
        }
    }

    /// `x -> …` and `(x, y) -> …` as a function's argument: lambdas, unless a path of JSON follows.
    pub(crate) fn arrow(&mut self, at: usize) {
        self.out.has_lambda = true;
        let path = self
            .token(at + 1)
            .is_none_or(|t| matches!(t.kind, Kind::String | Kind::Number | Kind::Param));
        if path || at < 2 {
            return;
        }
        if self.op_at(at - 1) != b')' {
            if self.op_at(at - 2) == b',' && self.is_name(at - 1) {
                self.out.variables.push(offset(at - 1));
            }
            return;
        }
        let mut name = at - 2;
        while self.is_name(name) && name > 1 {
            self.out.variables.push(offset(name));
            if self.op_at(name - 1) != b',' {
                break;
            }
            name -= 2;
        }
    }
}
