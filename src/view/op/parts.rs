//! This module renders the parts of the op panel, each as a section that folds. Texts are in `chart::op::panel`.

use super::history::OpHistory;
use crate::analysis::op::{Neighbour, OpDetail, OpFigures};
use crate::chart::op::panel::{self, ValueRow};
use crate::chart::op::roofline::{RooflineComparison, RooflineSection};
use crate::chart::plot::time_part::TimePart;
use crate::chart::widgets::hlo_text;
use crate::table::format;
use crate::view::state::{remember, remembered};
use crate::view::type_erasure::EraseType;
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::popover::Popover;
use crate::view::widgets::swatch::{fill, swatch};
use crate::view::widgets::tree::width;
use leptos::ev;
use leptos::prelude::*;

/// The heading of the section that compares the op with its roofline time.
const ROOF: &str = "Roofline";
/// The width and the height of the small charts, in pixels.
const CHART: (f64, f64) = (416.0, 32.0);

/// Renders a section with a heading. The section folds, and keeps this state for other ops and for later visits.
fn section(head: &'static str, caption: AnyView, body: AnyView) -> AnyView {
    let name = format!("fold.{head}");
    let open = remembered(&name).is_none();
    let toggled = move |event: ev::Event| {
        let shut = event_target::<web_sys::Element>(&event).get_attribute("open").is_none();
        remember(&name, shut.then_some("1"));
    };
    view! { <details class="panel-part" open=open on:toggle=toggled><summary><h3>{head}</h3> {caption}</summary>{body}</details> }
        .any()
}

fn empty_view() -> AnyView {
    ().into_any()
}

/// Renders self time, share, executions and mean; the comparison with the roofline; and the spread of executions and
/// steps.
pub(super) fn figures(op: &OpFigures, against: Option<RooflineSection>) -> AnyView {
    let against = against.map(|line| match line {
        RooflineSection::Comparison(comparison) => roof(*comparison),
        RooflineSection::None(why) => section(ROOF, empty_view(), view! { <p class="sub">{why}</p> }.any()),
    });
    let one = |(label, value, unit): panel::Figure| {
        view! { <div><dt>{label}</dt><dd>{value} " " <span class="unit">{unit}</span></dd></div> }.any()
    };
    let spread = op.histogram.as_ref().zip(panel::spread(op)).map(|(histogram, words)| {
        let caption = view! { <span class="sub">{words.clone()}</span> }.any();
        section("Executions by self time", caption, bars(&histogram.bins, &words))
    });
    let steps = panel::steps(op).map(|(steps, words)| {
        let caption = view! { <span class="sub">{words.clone()}</span> }.any();
        section("Self time by step", caption, bars(&steps, &format!("Steps {words}")))
    });
    view! {
        <dl class="op-figures">{panel::figures(op).into_iter().map(one).collect_view()}</dl>
        {against}
        {spread}
        {steps}
    }
    .any()
}

/// Renders the measured time as a bar that is divided into roofline time and gap.
fn roof(roof: RooflineComparison) -> AnyView {
    let row = |(label, words): (&'static str, String)| view! { <dt>{label}</dt><dd>{words}</dd> }.any();
    let end = width(roof.share.min(1.0));
    let one = |check: String| view! { <li>{check}</li> }.any();
    let checks = (!roof.checks.is_empty())
        .then(|| view! { <ul class="op-checks">{roof.checks.into_iter().map(one).collect_view()}</ul> }.any());
    let how = roof.how;
    let caption = view! {
        <Popover id="how-roof" class="formula-button" label=Signal::stored("How the roofline is computed".to_owned()) panel_class="formula-panel" face=Box::new(|| "=".into_any())>
            {crate::view::widgets::figure::formula_popover(how.clone())}
        </Popover>
    }
    .any();
    let body = view! {
        <svg class="op-roof" aria-hidden="true">
            <rect class="mark-idle" width="100%" height="100%" />
            <rect class=fill(roof.time_part) width=end.clone() height="100%" />
            <line class="op-roof-at" x1=end.clone() x2=end y1="-3" y2="15" />
        </svg>
        <div class="op-roof-ends"><span>{roof.floor}</span> {caption} <span class="grow"></span> <span>{roof.measured}</span></div>
        <p class="op-verdict">{roof.verdict}</p>
        {checks}
        <dl class="op-pairs">{roof.rows.into_iter().map(row).collect_view()}</dl>
    }
    .any();
    section(ROOF, empty_view(), body)
}

fn bars(values: &[u64], label: &str) -> AnyView {
    let (width, height) = CHART;
    let one = |(x, wide, tall): (f64, f64, f64)| {
        view! { <rect x=x.to_string() y=(height - tall).to_string() width=wide.to_string() height=tall.to_string() /> }
            .any()
    };
    view! {
        <svg class="op-bars" role="img" aria-label=label.to_owned() viewBox=format!("0 0 {width} {height}") preserveAspectRatio="none">
            {panel::bars(values, width, height).into_iter().map(one).collect_view()}
        </svg>
    }
    .any()
}

/// Renders the operands and results with their shapes, layouts and padding, and remarks on what changes between them.
pub(super) fn values(op: &OpDetail) -> AnyView {
    if op.values.is_empty() {
        return empty_view();
    }
    let row = |row: ValueRow| {
        let title = row.more.iter().map(|(what, is)| format!("{what}: {is}")).collect::<Vec<_>>().join("\n");
        let memory = (!row.memory.is_empty()).then(|| view! { <span class="op-memory">{row.memory}</span> }.any());
        view! {
            <tr title=title>
                <th scope="row">{row.role}</th>
                <td class="mono"><span>{row.shape}</span><wbr /><span class="op-layout" class:differs=row.differs>{row.layout}</span> " " {memory}</td>
                <td class="num">{row.bytes}</td>
                <td class="num">{row.padding}</td>
            </tr>
        }
        .any()
    };
    let more = more_line(op.more_values, "more value", "more values");
    let remark = |remark: &crate::analysis::op::ValueChange| {
        view! { <p class="op-remark">{icon(Icon::Info)} <span>{panel::change_text(remark)}</span></p> }.any()
    };
    let table = view! {
        <table class="op-values">
            <thead><tr><th scope="col">"Value"</th><th scope="col">"Shape"</th><th scope="col" class="num">"Bytes"</th><th scope="col" class="num">"Padding"</th></tr></thead>
            <tbody>{panel::values(op).into_iter().map(row).collect_view()}</tbody>
        </table>
        {more}
        {op.value_changes.iter().map(remark).collect_view()}
    }
    .any();
    section("Shapes", empty_view(), table)
}

fn more_line(n: u32, one: &str, many: &str) -> Option<AnyView> {
    (n > 0).then(|| view! { <p class="sub">{format::counted(n.into(), one, many)}</p> }.any())
}

/// Renders the source lines and the scope path.
pub(super) fn source(op: &OpDetail) -> AnyView {
    let source = &op.source;
    if source.innermost.is_none() && source.stack.is_empty() && source.tf_op.is_none() {
        return empty_view();
    }
    let line = |line: &crate::analysis::op::SourceLine| {
        let mark = line.innermost.then_some("true");
        view! { <li class:innermost=line.innermost aria-current=mark>{line.text.clone()}</li> }.any()
    };
    let stack = (!source.stack.is_empty())
        .then(|| view! { <dt>"stack"</dt><dd><ol class="op-stack mono">{source.stack.iter().map(line).collect_view()}</ol></dd> }.any());
    let inner = source.innermost.clone().filter(|_| source.stack.is_empty());
    let inner = inner.map(|inner| view! { <dt>"innermost"</dt><dd class="mono">{inner}</dd> }.any());
    let path = source.tf_op.clone().map(|path| {
        let path = path.trim_end_matches(':').to_owned();
        let cut = path.rfind('/').map_or(0, |slash| slash + 1);
        let (scope, leaf) = (path[..cut].to_owned(), path[cut..].to_owned());
        view! { <dt>"tf_op"</dt><dd class="mono op-path">{scope}<b>{leaf}</b></dd> }.any()
    });
    let from = source.from_hlo.then(|| view! { <span class="sub">"from the HLO"</span> }.any());
    section("Source", from.into_any(), view! { <dl class="op-pairs">{inner}{stack}{path}</dl> }.any())
}

/// Renders the operands and users of the op. A click on one opens its panel.
pub(super) fn neighbours(walk: OpHistory, op: &OpDetail) -> AnyView {
    if op.operands.is_empty() && op.users.is_empty() {
        return empty_view();
    }
    let program = op.program_id;
    let one = move |(role, neighbour): (&'static str, &Neighbour)| {
        let name = neighbour.name.clone();
        let go = move |_| walk.go_to_op(&name, program);
        let time = neighbour.total.map(|total| view! { <span class="num">{format::time_text(total)}</span> }.any());
        view! {
            <li>
                <span class="sub">{role}</span>
                <button type="button" class="link mono" on:click=go>{neighbour.kind.map(|kind| swatch(TimePart::Kind(kind)))} {neighbour.name.clone()}</button>
                <span class="op-what mono">{panel::neighbour(neighbour)}</span>
                {time}
            </li>
        }
        .any()
    };
    let all = op
        .operands
        .iter()
        .map(|neighbour| ("operand", neighbour))
        .chain(op.users.iter().map(|neighbour| ("user", neighbour)));
    let list = view! {
        <ul class="op-hops">{all.map(one).collect_view()}</ul>
        {more_line(op.more_operands, "more operand", "more operands")}
        {more_line(op.more_users, "more user", "more users")}
    }
    .any();
    let state = walk.state;
    let draw = view! {
        <button type="button" class="btn line small-text" aria-pressed=move || state.graph.get().to_string()
            on:click=move |_| state.graph.update(|shown| *shown = !*shown)>"Graph"</button>
    }
    .any();
    section("Neighbours", empty_view(), view! { {list} {draw} }.any())
}

/// Renders the coloured HLO text of the op, and the instructions of its fused computation.
pub(super) fn hlo(walk: OpHistory, op: &OpDetail) -> AnyView {
    let text = op.text.clone().map(|text| {
        let copied = text.clone();
        let copy = move |_| super::history::copied(walk.state, copied.clone());
        view! {
            <pre class="panel-hlo" tabindex="0">{coloured(&text)}</pre>
            <button type="button" class="link" on:click=copy>"Copy the text"</button>
        }
        .any()
    });
    let fused = op.fused.as_ref().map(|fused| {
        let lines = fused.lines.join("\n");
        view! {
            <details>
                <summary>"Fused computation: " <span class="mono">{fused.computation.clone()}</span></summary>
                <pre class="panel-hlo" tabindex="0">{coloured(&lines)}</pre>
                {more_line(fused.more, "more instruction", "more instructions")}
            </details>
        }
        .any()
    });
    let caption = view! { <span class="sub">{panel::basis(op.basis)}</span> }.any();
    section("HLO", caption, view! { {text} {fused} }.any())
}

fn coloured(text: &str) -> AnyView {
    let piece =
        |(token, piece): (hlo_text::Token, &str)| view! { <span class=token.class()>{piece.to_owned()}</span> }.any();
    hlo_text::tokens(text).into_iter().map(piece).collect_view().into_any()
}

/// Renders the notes of the op: assumptions, and the reasons for missing data.
pub(super) fn notes(op: &OpDetail) -> AnyView {
    let note = |note: &xla_profile::profile::Note| {
        view! { <p class="op-remark">{icon(Icon::Info)} <span>{note.message.clone()}</span></p> }.any()
    };
    op.notes.iter().map(note).collect_view().into_any()
}
