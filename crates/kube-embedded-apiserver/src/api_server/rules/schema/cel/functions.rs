//! The functions that rules may call, with the types of their arguments and results.
//!
//! A text declares them. A single letter stands for any type, the same one in all of a declaration,
//! and `dyn` for any type at all. `A.name(B)` is called on a value of the first type, and
//! `a::name(B)` is a function in a namespace.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::types::{Type, Variables};

/// The functions that Kubernetes adds to those of CEL, and these.
const DECLARED: &str = "
!_(bool):bool  @not_strictly_false(bool):bool  _&&_(bool,bool):bool  _||_(bool,bool):bool
_?_:_(bool,A,A):A  _==_(A,A):bool  _!=_(A,A):bool
-_(int):int  -_(double):double
_+_(int,int):int  _+_(uint,uint):uint  _+_(double,double):double  _+_(string,string):string
_+_(bytes,bytes):bytes  _+_(list(A),list(A)):list(A)  _+_(timestamp,duration):timestamp
_+_(duration,timestamp):timestamp  _+_(duration,duration):duration
_-_(int,int):int  _-_(uint,uint):uint  _-_(double,double):double
_-_(timestamp,timestamp):duration  _-_(timestamp,duration):timestamp
_-_(duration,duration):duration
_*_(int,int):int  _*_(uint,uint):uint  _*_(double,double):double
_/_(int,int):int  _/_(uint,uint):uint  _/_(double,double):double
_%_(int,int):int  _%_(uint,uint):uint
@in(A,list(A)):bool  @in(A,map(A,B)):bool  _[_](list(A),int):A  _[_](map(A,B),A):B
_[_](optional(list(A)),int):optional(A)  _[_](optional(map(A,B)),A):optional(B)
_[?_](list(A),int):optional(A)  _[?_](map(A,B),A):optional(B)
_[?_](optional(list(A)),int):optional(A)  _[?_](optional(map(A,B)),A):optional(B)
type(A):type(A)  dyn(A):dyn
int(int):int  int(uint):int  int(double):int  int(string):int  int(timestamp):int
int(duration):int  uint(uint):uint  uint(int):uint  uint(double):uint  uint(string):uint
double(double):double  double(int):double  double(uint):double  double(string):double
string(string):string  string(bool):string  string(int):string  string(uint):string
string(double):string  string(bytes):string  string(timestamp):string  string(duration):string
string(ip):string  string(cidr):string  bool(bool):bool  bool(string):bool
bytes(bytes):bytes  bytes(string):bytes  timestamp(timestamp):timestamp
timestamp(string):timestamp  timestamp(int):timestamp  duration(duration):duration
duration(string):duration
matches(string,string):bool  string.matches(string):bool  string.contains(string):bool
string.startsWith(string):bool  string.endsWith(string):bool
string.charAt(int):string  string.indexOf(string):int  string.indexOf(string,int):int
string.lastIndexOf(string):int  string.lastIndexOf(string,int):int  string.lowerAscii():string
string.upperAscii():string  string.trim():string  string.replace(string,string):string
string.replace(string,string,int):string  string.split(string):list(string)
string.split(string,int):list(string)  string.substring(int):string
string.substring(int,int):string  string.format(list(dyn)):string  strings::quote(string):string
list(string).join():string  list(string).join(string):string
string.find(string):string  string.findAll(string):list(string)
string.findAll(string,int):list(string)
sets::contains(list(A),list(A)):bool  sets::equivalent(list(A),list(A)):bool
sets::intersects(list(A),list(A)):bool
list(A).indexOf(A):int  list(A).lastIndexOf(A):int  list(A).slice(int,int):list(A)
list(list(A)).flatten():list(A)  list(dyn).flatten(int):list(dyn)  list(A).reverse():list(A)
list(A).distinct():list(A)  list(A).first():optional(A)  list(A).last():optional(A)
lists::range(int):list(int)
cel::@mapInsert(map(A,B),A,B):map(A,B)  cel::@mapInsert(map(A,B),map(A,B)):map(A,B)
url(string):url  isURL(string):bool  url.getScheme():string  url.getHost():string
url.getHostname():string  url.getPort():string  url.getEscapedPath():string
url.getQuery():map(string,list(string))
quantity(string):quantity  isQuantity(string):bool  sign(quantity):int
quantity.isGreaterThan(quantity):bool  quantity.isLessThan(quantity):bool
quantity.compareTo(quantity):int  quantity.asApproximateFloat():double  quantity.asInteger():int
quantity.isInteger():bool  quantity.add(quantity):quantity  quantity.add(int):quantity
quantity.sub(quantity):quantity  quantity.sub(int):quantity
ip(string):ip  isIP(string):bool  ip::isCanonical(string):bool  ip.family():int
ip.isUnspecified():bool  ip.isLoopback():bool  ip.isLinkLocalMulticast():bool
ip.isLinkLocalUnicast():bool  ip.isGlobalUnicast():bool
cidr(string):cidr  isCIDR(string):bool  cidr.containsIP(string):bool  cidr.containsIP(ip):bool
cidr.containsCIDR(string):bool  cidr.containsCIDR(cidr):bool  cidr.ip():ip
cidr.prefixLength():int  cidr.masked():cidr
format::named(string):optional(format)  format.validate(string):optional(list(string))
semver(string):semver  semver(string,bool):semver  isSemver(string):bool
isSemver(string,bool):bool  semver.isGreaterThan(semver):bool  semver.isLessThan(semver):bool
semver.compareTo(semver):int  semver.major():int  semver.minor():int  semver.patch():int
optional::of(A):optional(A)  optional::ofNonZeroValue(A):optional(A)  optional::none():optional(A)
optional(A).hasValue():bool  optional(A).value():A  optional(A).or(optional(A)):optional(A)
optional(A).orValue(A):A  optional::unwrap(list(optional(A))):list(A)
list(optional(A)).unwrapOpt():list(A)
";

/// Families of functions: the names, the types that stand for `T`, and the declaration.
const FAMILIES: &[(&str, &str, &str)] = &[
    ("_<_ _<=_ _>_ _>=_", "bool int uint double string bytes timestamp duration", "(T,T):bool"),
    ("_<_ _<=_ _>_ _>=_", "uint double", "(int,T):bool"),
    ("_<_ _<=_ _>_ _>=_", "int double", "(uint,T):bool"),
    ("_<_ _<=_ _>_ _>=_", "int uint", "(double,T):bool"),
    ("size", "string bytes list(A) map(A,B)", "(T):int"),
    (".size", "string bytes list(A) map(A,B)", "():int"),
    (".isSorted", "int uint double bool string bytes timestamp duration", "list():bool"),
    (".sort", "int uint double bool string bytes timestamp duration", "list():list(T)"),
    (
        "list(A).@sortByAssociatedKeys",
        "int uint double bool string bytes timestamp duration",
        "(list(T)):list(A)",
    ),
    (".sum", "int uint double duration", "list():T"),
    (".min .max", "int uint double bool string bytes timestamp duration", "list():T"),
    (
        ".getDate .getDayOfMonth .getDayOfWeek .getDayOfYear .getFullYear .getMonth .getHours \
         .getMinutes .getSeconds .getMilliseconds",
        "timestamp",
        "():int",
    ),
    (
        ".getDate .getDayOfMonth .getDayOfWeek .getDayOfYear .getFullYear .getMonth .getHours \
         .getMinutes .getSeconds .getMilliseconds",
        "timestamp",
        "(string):int",
    ),
    (".getHours .getMinutes .getSeconds .getMilliseconds", "duration", "():int"),
    (
        "format::dns1123Label format::dns1123Subdomain format::dns1035Label format::qualifiedName \
         format::dns1123LabelPrefix format::dns1123SubdomainPrefix format::dns1035LabelPrefix \
         format::labelValue format::uri format::uuid format::byte format::date format::datetime",
        "format",
        "():T",
    ),
];

/// A function with the types of its arguments, the first of which is the value on which a method is
/// called. Variables stand for letters.
struct Declaration {
    method: bool,
    arguments: Vec<Type<'static>>,
    result: Type<'static>,
}

/// The declarations by name.
static FUNCTIONS: LazyLock<HashMap<String, Vec<Declaration>>> = LazyLock::new(|| {
    let mut all: HashMap<String, Vec<Declaration>> = HashMap::new();
    let mut add = |text: &str| {
        let (name, declaration) = declaration(text);
        all.entry(name).or_default().push(declaration);
    };
    DECLARED.split_whitespace().for_each(&mut add);
    for (names, types, rest) in FAMILIES {
        for (name, kind) in names
            .split_whitespace()
            .flat_map(|name| types.split_whitespace().map(move |kind| (name, kind)))
        {
            let rest = rest.replace('T', kind);
            match (name.strip_prefix('.'), rest.strip_prefix("list")) {
                (Some(name), Some(rest)) => add(&format!("list({kind}).{name}{rest}")),
                (Some(name), None) => add(&format!("{kind}.{name}{rest}")),
                (None, _) => add(&format!("{name}{rest}")),
            }
        }
    }
    all
});

/// Reads a declaration.
fn declaration(text: &str) -> (String, Declaration) {
    let (call, result) = text.rsplit_once("):").unwrap_or((text, "dyn"));
    // The last bracket that opens is that of the arguments.
    let mut depth = 0;
    let open = call.char_indices().rev().find(|(_, c)| {
        depth += i32::from(*c == ')') - i32::from(*c == '(');
        depth < 0
    });
    let (head, all) = call.split_at(open.map_or(call.len(), |(at, _)| at));
    let mut arguments = kinds(all.trim_start_matches('('));
    let target = head.rsplit_once('.').filter(|(target, _)| !target.is_empty());
    let name = target.map_or(head, |(target, name)| {
        arguments.insert(0, kind(target));
        name
    });
    (name.to_owned(), Declaration { method: target.is_some(), arguments, result: kind(result) })
}

/// Reads types between commas.
fn kinds(text: &str) -> Vec<Type<'static>> {
    let mut depth = 0;
    let parts = text.split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    parts.filter(|part| !part.is_empty()).map(kind).collect()
}

fn kind(text: &str) -> Type<'static> {
    if let Some((outer, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        let mut inner = kinds(inner).into_iter().map(Box::new);
        let mut next = || inner.next().unwrap_or_else(|| Box::new(Type::Any));
        return match outer {
            "list" => next().list(),
            "optional" => Type::Optional(next()),
            "type" => Type::Kind(next()),
            _ => Type::Map(next(), next()),
        };
    }
    match text {
        "dyn" => Type::Any,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "timestamp" => Type::TIMESTAMP,
        "duration" => Type::DURATION,
        "url" => Type::Named("kubernetes.URL"),
        "quantity" => Type::Named("kubernetes.Quantity"),
        "ip" => Type::Named("net.IP"),
        "cidr" => Type::Named("net.CIDR"),
        "format" => Type::Named("kubernetes.NamedFormat"),
        "semver" => Type::Named("kubernetes.Semver"),
        letter => Type::Variable(usize::from(letter == "B")),
    }
}

pub(super) fn is_declared(name: &str) -> bool {
    FUNCTIONS.contains_key(name)
}

/// Returns the name of a function in a namespace, if there is one.
pub(super) fn qualified(space: &str, name: &str) -> Option<String> {
    let name = format!("{space}::{name}");
    FUNCTIONS.contains_key(&name).then_some(name)
}

/// Returns the type of a call's result, or a server's words. A method's first argument is the value
/// on which it is called.
pub(super) fn result<'s>(
    name: &str,
    method: bool,
    arguments: &[Type<'s>],
    variables: &mut Variables<'s>,
) -> Result<Type<'s>, String> {
    let declared = FUNCTIONS.get(name).into_iter().flatten();
    let mut result = None;
    for declaration in declared.filter(|declaration| declaration.method == method) {
        let from = variables.add(2);
        let expected: Vec<Type<'s>> =
            declaration.arguments.iter().map(|kind| kind.renumbered(from)).collect();
        if !variables.agree(arguments, &expected) {
            continue;
        }
        let found = variables.resolved(&declaration.result.renumbered(from));
        result = Some(match result {
            Some(first) if first != found => Type::Any,
            _ => found,
        });
    }
    result.ok_or_else(|| {
        let settled = arguments.iter().map(|kind| variables.settled(kind).name());
        let names: Vec<String> = settled.collect();
        let applied = match names.split_first() {
            Some((target, rest)) if method => format!("{target}.({})", rest.join(", ")),
            _ => format!("({})", names.join(", ")),
        };
        let name = name.replace("::", ".");
        format!("found no matching overload for '{name}' applied to '{applied}'")
    })
}
