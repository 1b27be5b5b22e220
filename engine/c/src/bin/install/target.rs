//! The platform that the libraries are for: names of files, and the system libraries that they need.

use super::interface_version;

/// Kinds of platforms whose libraries differ in name and form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Linux,
    MacOs,
    /// Windows, with the tools of mingw-w64 (`dlltool`).
    WindowsGnu,
    /// Windows, with Microsoft's tools (`lib`).
    WindowsMsvc,
}

impl Target {
    /// The platform of a target triple of Rust.
    pub fn of(triple: &str) -> Self {
        match triple {
            _ if triple.ends_with("windows-msvc") => Self::WindowsMsvc,
            _ if triple.contains("windows") => Self::WindowsGnu,
            _ if triple.contains("apple") => Self::MacOs,
            _ => Self::Linux,
        }
    }

    /// The platform that this program was compiled for.
    pub fn here() -> Self {
        match (cfg!(windows), cfg!(target_env = "msvc"), cfg!(target_os = "macos")) {
            (true, true, _) => Self::WindowsMsvc,
            (true, false, _) => Self::WindowsGnu,
            (_, _, true) => Self::MacOs,
            _ => Self::Linux,
        }
    }

    /// The file of the shared library that programs load, below the prefix.
    pub fn shared(self) -> String {
        match self {
            Self::Linux => format!("lib/libmultisplit.so.{}", interface_version()),
            Self::MacOs => "lib/libmultisplit.dylib".to_owned(),
            Self::WindowsGnu | Self::WindowsMsvc => "bin/multisplit.dll".to_owned(),
        }
    }

    /// The import library that programs link on Windows instead of the shared one, below the prefix.
    pub fn import(self) -> Option<&'static str> {
        match self {
            Self::Linux | Self::MacOs => None,
            Self::WindowsGnu => Some("lib/libmultisplit.dll.a"),
            Self::WindowsMsvc => Some("lib/multisplit.lib"),
        }
    }

    /// The file of the static library, below the prefix.
    pub fn archive(self) -> &'static str {
        match self {
            Self::WindowsMsvc => "lib/multisplit-static.lib",
            _ => "lib/libmultisplit.a",
        }
    }

    /// Names that cargo gives the static and the shared library.
    pub fn built(self) -> [&'static str; 2] {
        match self {
            Self::Linux => ["libmultisplit_c.a", "libmultisplit_c.so"],
            Self::MacOs => ["libmultisplit_c.a", "libmultisplit_c.dylib"],
            Self::WindowsGnu => ["libmultisplit_c.a", "multisplit_c.dll"],
            Self::WindowsMsvc => ["multisplit_c.lib", "multisplit_c.dll"],
        }
    }

    /// Libraries that a program needs to link the static library: the output of
    /// `rustc --print native-static-libs`, without some that compilers add themselves. One of these is the unwinding
    /// library, which has another name if a program is linked with `-static`.
    pub fn needs(self) -> &'static [&'static str] {
        match self {
            Self::Linux => &["-lutil", "-lrt", "-lpthread", "-lm", "-ldl"],
            Self::MacOs => &["-liconv", "-lSystem", "-lc", "-lm"],
            Self::WindowsGnu => &["-lkernel32", "-lntdll", "-luserenv", "-lws2_32", "-ldbghelp"],
            Self::WindowsMsvc => {
                &["kernel32.lib", "ntdll.lib", "userenv.lib", "ws2_32.lib", "dbghelp.lib"]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_named_as_their_platform_expects() {
        let linux = format!("lib/libmultisplit.so.{}", interface_version());
        let windows_gnu =
            ("bin/multisplit.dll", Some("lib/libmultisplit.dll.a"), "lib/libmultisplit.a");
        let windows_msvc =
            ("bin/multisplit.dll", Some("lib/multisplit.lib"), "lib/multisplit-static.lib");
        for (triple, expected) in [
            ("x86_64-unknown-linux-gnu", (linux.as_str(), None, "lib/libmultisplit.a")),
            ("aarch64-apple-darwin", ("lib/libmultisplit.dylib", None, "lib/libmultisplit.a")),
            ("x86_64-pc-windows-gnu", windows_gnu),
            ("x86_64-pc-windows-gnullvm", windows_gnu),
            ("x86_64-pc-windows-msvc", windows_msvc),
        ] {
            let target = Target::of(triple);
            let shared = target.shared();
            assert_eq!((shared.as_str(), target.import(), target.archive()), expected);
        }
    }
}
