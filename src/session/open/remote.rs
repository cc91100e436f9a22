//! This module holds the rules for captures on the web: the name of a capture, the size from which the user is asked
//! before a download, and the messages for downloads that fail. The page does the download itself.

use crate::protocol::Failure;
use crate::table::format;
use crate::table::text::escape_page_text;

/// Size in bytes from which the page asks before it downloads a capture. It also asks if the size is unknown.
pub const CONFIRM_THRESHOLD: u64 = 32 << 20;

/// The reason why a capture could not be downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The text is not a URL.
    NoAddress,
    /// The scheme is neither http nor https. The text is the scheme with its colon.
    Scheme(String),
    /// The URL holds a user name or a password.
    Credentials,
    /// The host has characters that no host name has. They could change the content security policy of the page.
    Host,
    /// The host is an IPv6 address, which a content security policy cannot name.
    Ipv6,
    /// The page was loaded over https, and the URL uses http.
    Mixed,
    Offline,
    /// The host answers, but does not allow pages of other origins to read the answer.
    Cors,
    /// The host does not answer, or redirects to a host that the page must not contact.
    Silent,
    /// The host answers with an error: the HTTP status code and its text.
    Status(u16, String),
    /// The download broke off and could not be resumed.
    BrokeOff {
        /// Bytes received.
        done: u64,
        /// Size in bytes. `None` if the host does not give the size.
        total: Option<u64>,
    },
    /// The host sent another number of bytes than it announced.
    Length {
        /// Bytes received.
        done: u64,
        /// Bytes announced.
        total: u64,
    },
}

/// The URL of a capture, and the parts of the URL that messages name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebAddress {
    /// The whole URL, such as `https://example.com/runs/7/host.xplane.pb`.
    pub url: String,
    /// Host, such as "example.com".
    pub host: String,
    /// Last part of the path, such as "host.xplane.pb".
    pub name: String,
}

impl WebAddress {
    /// Creates the address of `url`, which the browser has split into `host` and `path`. The name is the last part of
    /// the path, or the host if the path is empty.
    pub fn new(url: String, host: String, path: &str) -> Self {
        let last = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(&host);
        let name = percent_encoding::percent_decode_str(last).decode_utf8_lossy();
        let name = escape_page_text(&name).into_owned();
        Self { url, host, name }
    }
}

/// Returns the question that the page asks before a large download.
pub fn question(place: &WebAddress, size: Option<u64>) -> String {
    match size {
        Some(size) => format!("Fetch {} from {}?", format::bytes_text(size), place.host),
        None => format!("Fetch {} from {}, which does not say how large it is?", place.name, place.host),
    }
}

/// Returns whether a host is an IPv6 address. `host` is the form that the browser writes, such as `[::1]:8000`.
pub fn is_ipv6_host(host: &str) -> bool {
    host.starts_with('[')
}

/// Returns whether a host has only characters of a host name. `host` is the form that the browser writes, with its
/// port. `index.html` makes the same check before it adds the host to the page's content security policy.
pub fn is_plain_host(host: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-:".contains(c);
    !host.is_empty() && host.chars().all(is_plain)
}

impl Refusal {
    /// Returns the message for the user: the fault, its place and the remedy. `page` is the origin of the page.
    pub fn message(&self, place: &WebAddress, page: &str) -> Failure {
        let WebAddress { host, name, url } = place;
        let by_hand = "Download it and drop the file here";
        let title = match self {
            Self::NoAddress | Self::Scheme(_) => format!("{url} is not the address of a capture"),
            _ => format!("{name} could not be fetched from {host}"),
        };
        let message = match self {
            Self::NoAddress => "It has no host. An address starts with https://.".to_owned(),
            Self::Scheme(scheme) => format!(
                "It starts with {scheme}, and a browser fetches https:// and http:// only. For a bucket, use its https address, or \
                 copy the file here and drop it."
            ),
            Self::Credentials => {
                "The address holds a user name or a password before the @, and a browser fetches no such address. Remove that part. \
                 If the host asks for a password, download the file and drop it here, or use a signed address."
                    .to_owned()
            }
            Self::Host => format!(
                "The host name {host} has characters other than letters, digits, dots and hyphens. This page fetches from no such \
                 host. {by_hand}."
            ),
            Self::Ipv6 => format!(
                "The address names its host by an IPv6 address. A page may fetch only from hosts that its content security policy \
                 names, and a policy cannot name IPv6 addresses. Use the host's name or its IPv4 address. {by_hand} otherwise."
            ),
            Self::Mixed => format!(
                "This page came by https, and from there a browser fetches nothing by plain http. Use the https:// address if there \
                 is one. {by_hand}, or open Rooflight from http://localhost."
            ),
            Self::Offline => "This browser is offline. Files on this device still open.".to_owned(),
            Self::Cors => format!(
                "{host} answers, but does not allow other pages to read the answer: it lacks Access-Control-Allow-Origin for \
                 {page} (CORS). {by_hand}, or have the host send that header."
            ),
            Self::Silent => format!(
                "The host does not answer: its name may be wrong, it may be down, or it redirects to another host, which this page does not follow. Open the address in a tab of its own to check. {by_hand} if that works."
            ),
            Self::Status(code @ (401 | 403), words) => format!(
                "{host} answers {code} {words}: it requires a login, and Rooflight sends no passwords or cookies. {by_hand}, or \
                 use a signed address."
            ),
            Self::Status(code @ (404 | 410), words) => {
                format!("{host} answers {code} {words}: there is no such file. Check the address.")
            }
            Self::Status(code, words) => format!("{host} answers {code} {words}. Try again later."),
            Self::BrokeOff { done, total } => {
                let total_text = total.map_or_else(String::new, |total| format!(" of {}", format::bytes_text(total)));
                format!(
                    "The connection broke after {}{total_text}, and {host} does not support resuming a download. Try again, or download it with a tool that retries, and drop the file here.",
                    format::bytes_text(*done)
                )
            }
            Self::Length { done, total } => format!(
                "{host} said {} and sent {}. The file may be changing there: try again.",
                format::counted(*total, "byte", "bytes"),
                format::counted(*done, "byte", "bytes")
            ),
        };
        Failure { title, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> WebAddress {
        let url = "https://example.com/runs/my%20run.xplane.pb".to_owned();
        WebAddress::new(url, "example.com".to_owned(), "/runs/my%20run.xplane.pb")
    }

    #[test]
    fn a_place_is_called_by_its_last_part() {
        assert_eq!(example().name, "my run.xplane.pb");
        assert_eq!(WebAddress::new(String::new(), "example.com".to_owned(), "/").name, "example.com");
        assert_eq!(WebAddress::new(String::new(), "example.com".to_owned(), "/a/").name, "a");
    }

    #[test]
    fn question_names_size_and_host() {
        assert_eq!(question(&example(), Some(1_150_000_000)), "Fetch 1.1 GiB from example.com?");
        assert!(question(&example(), None).contains("does not say how large"));
    }

    #[test]
    fn a_host_of_other_characters_is_none() {
        for plain in ["example.com", "storage.googleapis.com:443", "xn--bcher-kva.example", "127.0.0.1"] {
            assert!(is_plain_host(plain) && !is_ipv6_host(plain), "{plain}");
        }
        assert!(!is_plain_host("[::1]:8000") && is_ipv6_host("[::1]:8000"), "a policy cannot name it");
        // Each of these would have another meaning in a content security policy.
        for other in ["", "a;img-src", "a;script-src", "*", "%2a", "a b", "a,b", "a'b", "A.example", "a_b"] {
            assert!(!is_plain_host(other), "{other}");
        }
    }

    #[test]
    fn each_refusal_says_where_and_what_to_do() {
        let all = [
            Refusal::Mixed,
            Refusal::Offline,
            Refusal::Cors,
            Refusal::Silent,
            Refusal::Status(403, "Forbidden".to_owned()),
            Refusal::Status(404, "Not Found".to_owned()),
            Refusal::Status(503, String::new()),
            Refusal::BrokeOff { done: 1 << 20, total: Some(4 << 20) },
            Refusal::Length { done: 1, total: 2 },
            Refusal::Credentials,
            Refusal::Host,
            Refusal::Ipv6,
        ];
        let failures: Vec<_> = all.iter().map(|refusal| refusal.message(&example(), "https://page.example")).collect();
        for (index, failure) in failures.iter().enumerate() {
            assert_eq!(failure.title, "my run.xplane.pb could not be fetched from example.com");
            assert!(failures[..index].iter().all(|other| other.message != failure.message), "{}", failure.message);
        }
        assert!(failures[2].message.contains("https://page.example (CORS)"), "{}", failures[2].message);
        assert!(failures[7].message.contains("after 1.0 MiB of 4.0 MiB"), "{}", failures[7].message);
        let gs = WebAddress::new("gs://bucket/a.pb".to_owned(), String::new(), "a.pb");
        assert!(Refusal::Scheme("gs:".to_owned()).message(&gs, "").message.contains("starts with gs:,"));
    }
}
