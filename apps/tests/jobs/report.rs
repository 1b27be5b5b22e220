//! Tests of the reports of `multisplit bench --html` and `multisplit demo`, and whether a browser can display them.

use std::process::Command;

use crate::workdir::Workdir;

/// Environment variable with the path of Chromium, which opens the report. `none` skips that check.
const BROWSER: &str = "MULTISPLIT_CHROMIUM";
/// Names of the browser on various systems.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

const HEADINGS: [&str; 5] = [
    "copy_kernel_u32: rate against n",
    "split_delta_keys: rate against n, m = 8",
    "split_delta_keys: rate against m, n = 2^12",
    "split_delta_keys: rate against m, n = 2^13",
    "split_delta_keys: shares of the stages, n = 2^13",
];

#[test]
fn report_contains_every_plot() {
    let workdir = Workdir::new();
    let theirs = r#"{"anchor":"cub","op":"sort_bits_keys","n":4096,"m":2,"ms":1,"gps":0.02}"#;
    workdir.write("cub.jsonl", theirs);
    let line = "bench split --op split_delta_keys --method direct,warp --m 2,8 --n 2^12,2^13 \
                --reps 1 --warmup 0 --html report.html --against cub.jsonl";
    let ran = workdir.job(line);
    assert_eq!(ran.out.lines().count(), 1 + 2 * (1 + 4), "copies are measured too: {}", ran.out);
    let page = workdir.text("report.html");
    for heading in HEADINGS {
        assert!(page.contains(&format!("<h3>{heading}</h3>")), "no `{heading}`");
    }
    for part in [
        "ceiling: 12 bytes per element",
        "cub sort_bits_keys",
        "direct",
        "warp",
        "<dt>command</dt><dd>multisplit bench split --op split_delta_keys",
        " UTC</dd>",
        "<a href=\"#Split\">Split</a>",
    ] {
        assert!(page.contains(part), "no `{part}`");
    }
    check_in_browser(&workdir, "report.html", &HEADINGS);

    workdir.fails("bench copy --n 64 --html report.html", "report.html exists");
}

/// A demo measures five subjects, and its report shows rates, stages and rounds.
#[test]
fn demo_measures_five_subjects_and_its_report_opens() {
    const PAGE: &str = "multisplit-report.html";
    let workdir = Workdir::new();
    // A report of an earlier demo is replaced, but not another file.
    workdir.write(PAGE, "mine");
    workdir.fails("demo --n 2000 --validate", "--force");
    workdir.write(PAGE, r#"<meta name="generator" content="multisplit">"#);
    let ran = workdir.job("demo --n 2000").expect_out(&["copy_kernel_u32", "sort_keys_u32"]);
    let ran = ran.expect_out(&["split_delta_pairs", "histogram_even", "sssp"]);
    ran.expect_out(&["each verified against the CPU"]);
    let headings = [
        "copy_kernel_u32: rate against n",
        "sort_keys_u32: rate against n",
        "split_delta_keys: shares of the stages, n = 2,000",
        "histogram_even: rate against m, n = 2,000",
        "shortest paths on grid:3000: rounds",
        "shortest paths on grid:3000: time",
    ];
    let page = workdir.text(PAGE);
    for heading in headings {
        assert!(page.contains(&format!("<h3>{heading}</h3>")), "no `{heading}`");
    }
    check_in_browser(&workdir, PAGE, &headings);
}

fn browser() -> Option<Command> {
    match std::env::var_os(BROWSER) {
        Some(name) if name == "none" => return None,
        Some(name) if !name.is_empty() => return Some(Command::new(name)),
        _ => {}
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut places =
        std::env::split_paths(&folders).flat_map(|f| BROWSERS.map(|name| f.join(name)));
    let found = places.find(|place| place.is_file());
    let missing = format!(
        "Chromium was not found; `./x setup` installs it, and {BROWSER}=none skips this check"
    );
    Some(Command::new(found.expect(&missing)))
}

/// Checks that the browser shows all plots of the page and reports no errors.
fn check_in_browser(workdir: &Workdir, page: &str, headings: &[&str]) {
    let text = workdir.text(page);
    let Some(mut browser) = browser() else {
        eprintln!("{BROWSER}=none: the report was not opened");
        return;
    };
    let address = format!("file://{}", workdir.path().join(page).display());
    let output = browser
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--enable-logging=stderr", "--dump-dom", &address])
        .env("HOME", workdir.path())
        .output()
        .expect("the browser starts");
    let (dom, log) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{log}");
    assert!(!log.contains("CONSOLE"), "{log}");
    for heading in headings {
        assert!(dom.contains(&format!("<figure><h3>{heading}</h3>")), "no `{heading}`");
    }
    // Elements that the browser did not understand are moved or missing in its DOM.
    let plots = text.matches("<figure><h3>").count();
    assert_eq!(dom.matches("<figure><h3>").count(), plots);
    assert_eq!(dom.matches("role=\"img\"").count(), plots);
    assert_eq!(dom.matches("</svg>").count(), dom.matches("<svg ").count());
    assert!(dom.trim_end().ends_with("</html>"));
}

#[test]
fn unreadable_comparison_file_is_rejected() {
    let workdir = Workdir::new();
    workdir.write("bad.jsonl", "no JSON\n");
    let start = "bench copy --n 64 --reps 1 --warmup 0 --html report.html --against";
    for (file, part) in [("none.jsonl", "cannot read none.jsonl"), ("bad.jsonl", "line 1")] {
        workdir.fails(&format!("{start} {file}"), part);
    }
    workdir.run("bench copy --against bad.jsonl").expect(2);
}
