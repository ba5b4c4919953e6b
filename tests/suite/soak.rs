//! The example `soak`, for three hours that pass in seconds.

#[allow(dead_code, unreachable_pub, reason = "its main")]
#[path = "../../examples/soak.rs"]
mod example;

#[tokio::test(start_paused = true)]
async fn storms_and_calms_leave_everything_right() {
    let options = example::Options { minutes: Some(180), pods: 30, churn: 2, seed: 7 };
    let mut minutes = Vec::new();
    example::soak(options, |minute| minutes.push(minute.to_string())).await.unwrap();
    assert_eq!(minutes.len(), 180);
    let calm = minutes.iter().filter(|minute| minute.contains(" calm ")).count();
    let right = minutes.iter().filter(|minute| minute.ends_with("right")).count();
    assert!(calm > 10 && right > 20, "{minutes:#?}");
    assert!(minutes.last().unwrap().contains("\"expired\""), "{minutes:#?}");
}
