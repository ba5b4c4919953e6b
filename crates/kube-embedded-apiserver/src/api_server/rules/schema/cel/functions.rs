//! The functions that rules may call, with the types of their arguments and results.
//!
//! A text declares them. A single letter stands for any type, the same one in all of a declaration,
//! and `dyn` for any type at all. `A.name(B)` is called on a value of the first type.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::types::Type;

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
type(A):dyn  dyn(A):dyn
int(int):int  int(uint):int  int(double):int  int(string):int  int(timestamp):int
int(duration):int  uint(uint):uint  uint(int):uint  uint(double):uint  uint(string):uint
double(double):double  double(int):double  double(uint):double  double(string):double
string(string):string  string(bool):string  string(int):string  string(uint):string
string(double):string  string(bytes):string  string(timestamp):string  string(duration):string
string(ip):string  string(cidr):string  bool(bool):bool  bool(string):bool
bytes(bytes):bytes  bytes(string):bytes  timestamp(timestamp):timestamp
timestamp(string):timestamp  timestamp(int):timestamp  duration(duration):duration
duration(string):duration  duration(int):duration
matches(string,string):bool  string.matches(string):bool  string.contains(string):bool
string.startsWith(string):bool  string.endsWith(string):bool
string.charAt(int):string  string.indexOf(string):int  string.indexOf(string,int):int
string.lastIndexOf(string):int  string.lastIndexOf(string,int):int  string.lowerAscii():string
string.upperAscii():string  string.trim():string  string.replace(string,string):string
string.replace(string,string,int):string  string.split(string):list(string)
string.split(string,int):list(string)  string.substring(int):string
string.substring(int,int):string  string.format(list(dyn)):string  strings.quote(string):string
list(string).join():string  list(string).join(string):string
string.find(string):string  string.findAll(string):list(string)
string.findAll(string,int):list(string)
sets.contains(list(A),list(A)):bool  sets.equivalent(list(A),list(A)):bool
sets.intersects(list(A),list(A)):bool
list(A).indexOf(A):int  list(A).lastIndexOf(A):int  list(A).slice(int,int):list(A)
list(A).flatten():list(dyn)  list(A).flatten(int):list(dyn)  list(A).sort():list(A)
list(A).reverse():list(A)  list(A).distinct():list(A)  lists.range(int):list(int)
url(string):url  isURL(string):bool  url.getScheme():string  url.getHost():string
url.getHostname():string  url.getPort():string  url.getEscapedPath():string
url.getQuery():map(string,list(string))
quantity(string):quantity  isQuantity(string):bool  quantity.sign():int
quantity.isGreaterThan(quantity):bool  quantity.isLessThan(quantity):bool
quantity.compareTo(quantity):int  quantity.asApproximateFloat():double  quantity.asInteger():int
quantity.isInteger():bool  quantity.add(quantity):quantity  quantity.add(int):quantity
quantity.sub(quantity):quantity  quantity.sub(int):quantity
ip(string):ip  isIP(string):bool  ip.isCanonical(string):bool  ip.family():int
ip.isUnspecified():bool  ip.isLoopback():bool  ip.isLinkLocalMulticast():bool
ip.isLinkLocalUnicast():bool  ip.isGlobalUnicast():bool
cidr(string):cidr  isCIDR(string):bool  cidr.containsIP(string):bool  cidr.containsIP(ip):bool
cidr.containsCIDR(string):bool  cidr.containsCIDR(cidr):bool  cidr.ip():ip
cidr.prefixLength():int  cidr.masked():cidr
format.named(string):optional(format)  format.validate(string):optional(list(string))
semver(string):semver  semver(string,bool):semver  isSemver(string):bool
isSemver(string,bool):bool  semver.isGreaterThan(semver):bool  semver.isLessThan(semver):bool
semver.compareTo(semver):int  semver.major():int  semver.minor():int  semver.patch():int
optional.of(A):optional(A)  optional.ofNonZeroValue(A):optional(A)  optional.none():optional(dyn)
optional(A).hasValue():bool  optional(A).value():A  optional(A).or(optional(A)):optional(A)
optional(A).orValue(A):A
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
        "format.dns1123Label format.dns1123Subdomain format.dns1035Label format.qualifiedName \
         format.dns1123LabelPrefix format.dns1123SubdomainPrefix format.dns1035LabelPrefix \
         format.labelValue format.uri format.uuid format.byte format.date format.datetime",
        "format",
        "():T",
    ),
];

/// The names of macros and the numbers of their arguments. The interpreter expands some of them.
const MACROS: [(&str, std::ops::RangeInclusive<usize>); 13] = [
    ("all", 2..=3),
    ("exists", 2..=3),
    ("exists_one", 2..=3),
    ("existsOne", 2..=3),
    ("map", 2..=3),
    ("filter", 2..=2),
    ("has", 1..=1),
    ("optMap", 2..=2),
    ("optFlatMap", 2..=2),
    ("sortBy", 2..=2),
    ("transformList", 3..=4),
    ("transformMap", 3..=4),
    ("transformMapEntry", 3..=4),
];

/// The namespaces of functions.
const NAMESPACES: [&str; 6] = ["sets", "lists", "strings", "ip", "format", "optional"];

/// The type of an argument or a result in a declaration.
#[derive(Clone, Debug)]
enum Pattern {
    Same(Type<'static>),
    /// The letter of any type.
    Letter(u8),
    List(Box<Pattern>),
    Map(Box<Pattern>, Box<Pattern>),
    Optional(Box<Pattern>),
}

struct Declaration {
    /// The value on which it is called, and the arguments.
    arguments: Vec<Pattern>,
    result: Pattern,
}

/// The declarations by name. Those that are called on a value have a dot before their name.
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
    let (head, arguments) = call.split_at(open.map_or(call.len(), |(at, _)| at));
    let mut all = patterns(arguments.trim_start_matches('('));
    let named = |space: &str| NAMESPACES.contains(&space) && !is_method(space, head);
    let name = match head.rsplit_once('.') {
        Some((target, name)) if !named(target) => {
            all.insert(0, pattern(target));
            format!(".{name}")
        }
        _ => head.to_owned(),
    };
    (name, Declaration { arguments: all, result: pattern(result) })
}

/// Returns whether a name after the name of a namespace is that of a method of the type which has
/// the same name.
fn is_method(space: &str, head: &str) -> bool {
    let name = &head[space.len() + 1..];
    match space {
        "ip" => name != "isCanonical",
        "format" => name == "validate",
        _ => false,
    }
}

/// Reads patterns between commas.
fn patterns(text: &str) -> Vec<Pattern> {
    let mut depth = 0;
    let parts = text.split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    parts.filter(|part| !part.is_empty()).map(pattern).collect()
}

fn pattern(text: &str) -> Pattern {
    if let Some((outer, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        let mut inner = patterns(inner).into_iter().map(Box::new);
        let mut next = || inner.next().unwrap_or_else(|| Box::new(Pattern::Same(Type::Any)));
        return match outer {
            "list" => Pattern::List(next()),
            "optional" => Pattern::Optional(next()),
            _ => Pattern::Map(next(), next()),
        };
    }
    Pattern::Same(match text {
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
        _ => return Pattern::Letter(text.as_bytes().first().copied().unwrap_or(b'A')),
    })
}

/// Returns whether a call is that of a macro, whose arguments have names of their own, or what the
/// interpreter made of one.
pub(super) fn is_macro(name: &str, arguments: usize) -> bool {
    let known = |(known, counts): &(&str, std::ops::RangeInclusive<usize>)| {
        *known == name && counts.contains(&arguments)
    };
    MACROS.iter().any(known) || (name.starts_with('@') && !FUNCTIONS.contains_key(name))
}

/// Returns whether a name after another one is that of a function in a namespace.
pub(super) fn is_qualified(space: &str, name: &str) -> bool {
    FUNCTIONS.contains_key(&format!("{space}.{name}"))
}

/// Returns the type of a call's result, or a server's words. A method's first argument is the value
/// on which it is called.
pub(super) fn result<'s>(
    name: &str,
    method: bool,
    arguments: &[Type<'s>],
) -> Result<Type<'s>, String> {
    let key = if method { format!(".{name}") } else { name.to_owned() };
    let other = if method { name.to_owned() } else { format!(".{name}") };
    let declared = FUNCTIONS.get(&key);
    if declared.is_none() && !FUNCTIONS.contains_key(&other) {
        return Err(format!("undeclared reference to '{name}' (in container '')"));
    }
    let mut results = declared.into_iter().flatten().filter_map(|declaration| {
        let mut letters = HashMap::new();
        let fits = declaration.arguments.len() == arguments.len()
            && declaration
                .arguments
                .iter()
                .zip(arguments)
                .all(|(pattern, kind)| fits(pattern, kind, &mut letters));
        fits.then(|| filled(&declaration.result, &letters))
    });
    let Some(first) = results.next() else {
        let names: Vec<String> = arguments.iter().map(Type::name).collect();
        let applied = match names.split_first() {
            Some((target, rest)) if method => format!("{target}.({})", rest.join(", ")),
            _ => format!("({})", names.join(", ")),
        };
        return Err(format!("found no matching overload for '{name}' applied to '{applied}'"));
    };
    Ok(if results.all(|other| other == first) { first } else { Type::Any })
}

/// Returns whether a type fits a pattern, and notes the types of letters.
fn fits<'s>(pattern: &Pattern, kind: &Type<'s>, letters: &mut HashMap<u8, Type<'s>>) -> bool {
    match (pattern, kind) {
        (Pattern::Letter(letter), kind) => match letters.get(letter) {
            Some(known) if !known.is_alike(kind) => false,
            Some(known) if *known != Type::Any => true,
            _ => {
                letters.insert(*letter, kind.clone());
                true
            }
        },
        (_, Type::Any) | (Pattern::Same(Type::Any), _) => true,
        (Pattern::Same(expected), kind) => expected == kind,
        (Pattern::List(pattern), Type::List(kind))
        | (Pattern::Optional(pattern), Type::Optional(kind)) => fits(pattern, kind, letters),
        (Pattern::Map(key, value), Type::Map(found)) => {
            fits(key, &Type::String, letters) && fits(value, found, letters)
        }
        _ => false,
    }
}

fn filled<'s>(pattern: &Pattern, letters: &HashMap<u8, Type<'s>>) -> Type<'s> {
    match pattern {
        Pattern::Same(kind) => kind.clone(),
        Pattern::Letter(letter) => letters.get(letter).cloned().unwrap_or(Type::Any),
        Pattern::List(inner) => Type::List(Box::new(filled(inner, letters))),
        Pattern::Optional(inner) => Type::Optional(Box::new(filled(inner, letters))),
        Pattern::Map(_, value) => Type::Map(Box::new(filled(value, letters))),
    }
}
