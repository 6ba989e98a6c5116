//! The proof as one HTML page that needs nothing else.

use anyhow::Result;
use minijinja::{Environment, context};

use super::Proof;

pub fn html(proof: &Proof) -> Result<String> {
    let mut environment = Environment::new();
    environment.add_template("page.html", include_str!("page.html"))?;
    let page = environment.get_template("page.html")?.render(context! {
        proof,
        holds => proof.holds(),
        live => proof.is_live(),
        share => 100 * proof.reach.reached / proof.reach.sites.max(1),
        version => env!("CARGO_PKG_VERSION"),
    })?;
    Ok(page)
}
