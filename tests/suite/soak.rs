//! The example `soak`, for half an hour that passes in seconds, or for `SOAK_MINUTES`.

#[allow(dead_code, unreachable_pub, reason = "its main")]
#[path = "../../examples/soak.rs"]
mod example;

#[tokio::test(start_paused = true)]
async fn storms_and_calms_leave_everything_right() {
    let wanted = std::env::var("SOAK_MINUTES").map_or(30, |minutes| minutes.parse().unwrap());
    let options = example::Options { minutes: Some(wanted as u64), pods: 30, churn: 2, seed: 7 };
    let mut minutes = Vec::new();
    example::soak(options, |minute| minutes.push(minute.to_string())).await.unwrap();
    assert_eq!(minutes.len(), wanted);
    let calm = minutes.iter().filter(|minute| minute.contains(" calm ")).count();
    let right = minutes.iter().filter(|minute| minute.ends_with("right")).count();
    assert!(calm > wanted / 18 && right > wanted / 9, "{minutes:#?}");
    assert!(minutes.last().unwrap().contains("\"expired\""), "{minutes:#?}");
}
