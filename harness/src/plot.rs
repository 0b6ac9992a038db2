//! Line charts with both axes in logarithms, as SVG.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

const SIZE: (u32, u32) = (960, 600);

/// The width of the column of names beside the chart.
const NAMES: u32 = 210;

/// Okabe and Ito's colours, which colour-blind people tell apart, but for the yellow that white paper
/// swallows; then a grey and a wine red.
const PALETTE: [RGBColor; COLOURS] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 0, 0),
    RGBColor(0, 114, 178),
    RGBColor(86, 180, 233),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(128, 128, 128),
    RGBColor(136, 34, 85),
];

/// How many colours there are.
pub(crate) const COLOURS: usize = 9;

/// How a line looks, as numbers, so that those of one family share a colour and differ in mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub colour: usize,
    pub mark: usize,
}

/// One line.
pub(crate) struct Line {
    pub name: String,
    pub look: Look,
    /// Ascending along x; all above 0.
    pub points: Vec<(f64, f64)>,
}

/// A chart.
pub(crate) struct Chart<'a> {
    pub title: String,
    pub x: &'a str,
    pub y: &'a str,
    /// Heights that are marked, and what they mean.
    pub marked: &'a [(f64, &'a str)],
    pub lines: Vec<Line>,
}

impl Chart<'_> {
    /// The chart as an SVG document.
    pub(crate) fn svg(&self) -> Result<String, String> {
        let mut text = String::new();
        {
            let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
            self.draw(&area).map_err(|error| format!("cannot draw {}: {error}", self.title))?;
        }
        Ok(text)
    }

    fn draw<'a>(
        &self,
        area: &DrawingArea<SVGBackend<'a>, Shift>,
    ) -> Result<(), Box<dyn Error + 'a>> {
        area.fill(&WHITE)?;
        let (chart, names) = area.split_horizontally(SIZE.0 - NAMES);
        let points = || self.lines.iter().flat_map(|line| &line.points).copied();
        let heights = points().map(|(_, y)| y).chain(self.marked.iter().map(|(y, _)| *y));
        let (x, y) = (span(points().map(|(x, _)| x)), span(heights));
        let mut chart = ChartBuilder::on(&chart)
            .caption(&self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(76)
            .build_cartesian_2d(
                (x.0..x.1).log_scale().with_key_points(steps(x)),
                (y.0..y.1).log_scale().with_key_points(steps(y)),
            )?;
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .axis_desc_style(("sans-serif", 16))
            .label_style(("sans-serif", 14))
            .x_label_formatter(&|value| plain(*value))
            .y_label_formatter(&|value| plain(*value))
            .bold_line_style(BLACK.mix(0.2))
            .draw()?;
        for &(height, what) in self.marked {
            let grey = BLACK.mix(0.5);
            chart.draw_series([PathElement::new([(x.0, height), (x.1, height)], grey)])?;
            let style = ("sans-serif", 13).into_font().color(&grey);
            let style = style.pos(Pos::new(HPos::Right, VPos::Bottom));
            chart.draw_series([Text::new(what.to_owned(), (x.1, height), style)])?;
        }
        for line in &self.lines {
            let colour = line.look.colour();
            let path = PathElement::new(line.points.clone(), colour.stroke_width(2));
            chart.draw_series([path])?;
            let marks = line.points.iter().map(|&at| EmptyElement::at(at) + mark(line.look));
            chart.draw_series(marks)?;
        }
        self.draw_names(&names)
    }

    /// The lines' names, in the order in which the lines end, from top to bottom.
    fn draw_names<'a>(
        &self,
        area: &DrawingArea<SVGBackend<'a>, Shift>,
    ) -> Result<(), Box<dyn Error + 'a>> {
        let mut lines: Vec<&Line> = self.lines.iter().collect();
        lines.sort_by(|a, b| b.height_at_end().total_cmp(&a.height_at_end()));
        for (row, line) in lines.into_iter().enumerate() {
            let y = 60 + row as i32 * 22;
            let path = [(4, y), (32, y)];
            area.draw(&PathElement::new(path, line.look.colour().stroke_width(2)))?;
            area.draw(&(EmptyElement::at((18, y)) + mark(line.look)))?;
            let style = ("sans-serif", 15).into_font().color(&BLACK);
            let style = style.pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(line.name.clone(), (40, y), style))?;
        }
        Ok(())
    }
}

impl Line {
    fn height_at_end(&self) -> f64 {
        self.points.last().map_or(0.0, |(_, y)| *y)
    }
}

impl Look {
    fn colour(self) -> RGBColor {
        PALETTE[self.colour % COLOURS]
    }
}

/// A line's mark: shapes that are told apart without colour, in pixels around a point.
fn mark(look: Look) -> Polygon<(i32, i32)> {
    let shapes: [&[(i32, i32)]; 5] = [
        &[(-2, -5), (2, -5), (5, -2), (5, 2), (2, 5), (-2, 5), (-5, 2), (-5, -2)],
        &[(0, -6), (6, 5), (-6, 5)],
        &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
        &[(0, -7), (6, 0), (0, 7), (-6, 0)],
        &[(-6, -5), (6, -5), (0, 6)],
    ];
    let shape = shapes[look.mark % shapes.len()].to_vec();
    Polygon::new(shape, look.colour().filled())
}

/// Smallest and largest, with a little room around them.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    (low / 1.25, high * 1.25)
}

/// Round numbers in a span: powers of ten, and in a short span 2 and 5 times those.
fn steps((low, high): (f64, f64)) -> Vec<f64> {
    let factors = if high / low < 5e3 { &[1.0, 2.0, 5.0][..] } else { &[1.0] };
    let decades = (-12..=12).map(|power| libm::pow(10.0, f64::from(power)));
    let steps = decades.flat_map(|decade| factors.iter().map(move |factor| factor * decade));
    steps.filter(|step| (low..=high).contains(step)).collect()
}

/// 1000000 as 1,000,000 and 0.01 as it is.
fn plain(value: f64) -> String {
    if value < 1.0 {
        return value.to_string();
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_plainly() {
        assert_eq!(
            [0.5, 1.0, 999.0, 1000.0, 4e6].map(plain),
            ["0.5", "1", "999", "1,000", "4,000,000"]
        );
    }

    #[test]
    fn steps_are_round_and_not_too_many() {
        assert_eq!(steps((30.0, 400.0)), [50.0, 100.0, 200.0]);
        assert_eq!(steps((3.0, 1e6)), [10.0, 100.0, 1e3, 1e4, 1e5, 1e6]);
    }

    #[test]
    fn a_chart_names_its_axes_and_lines() {
        let look = Look { colour: 1, mark: 3 };
        let line =
            Line { name: "a <line>".to_owned(), look, points: vec![(1.0, 2.0), (90.0, 7.0)] };
        let chart = Chart {
            title: "Title".to_owned(),
            x: "across",
            y: "upwards",
            marked: &[(5.0, "marked")],
            lines: vec![line],
        };
        let svg = chart.svg().unwrap();
        for text in ["<svg", "Title", "across", "upwards", "a &lt;line&gt;", "marked", "</svg>"] {
            assert!(svg.contains(text), "{text} is not in {svg}");
        }
    }
}
