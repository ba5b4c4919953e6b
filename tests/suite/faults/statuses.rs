//! Failures that the server puts in words.

use super::*;

#[tokio::test(start_paused = true)]
async fn gone_status_of_watch_causes_relist() {
    for way in WAYS {
        let rig = watch_through(way, Injection::status(410)).await;
        rig.reported(FaultClass::Expired, Some(410), "watch configmaps: 410 Expired");
        rig.relisted(RelistCause::Expired, 1);
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn gone_in_the_stream_is_listed_anew() {
    for way in WAYS {
        for after in [0, 3] {
            let rig = watch_through(way, Injection::error_event(after, 410)).await;
            rig.reported(FaultClass::Expired, Some(410), "watch configmaps: 410 Expired");
            rig.relisted(RelistCause::Expired, 1);
            rig.stop().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn gone_page_is_listed_in_one_piece() {
    for page in [0, 1] {
        let pages = Requests::pages().after(page);
        let rig = first_state_through(Way::Pages, pages, Injection::status(410)).await;
        rig.reported(FaultClass::Expired, Some(410), "list configmaps: 410 Expired");
        assert_eq!(rig.relists().total(), 0, "the same list, once more");
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn unreachable_version_leads_to_a_quorum_list() {
    for way in WAYS {
        let requests =
            if way == Way::Stream { Requests::streaming_lists() } else { Requests::lists() };
        let rig = first_state_through(way, requests, Injection::status(410)).await;
        rig.reported(FaultClass::Expired, Some(410), "410 Expired");
        rig.relisted(RelistCause::Expired, 1);
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn throttled_requests_are_retried_when_allowed() {
    for (retry_after, least) in [(None, 800), (Some(Duration::from_secs(120)), 120_000)] {
        for (way, requests) in [
            (Way::List, Requests::lists()),
            (Way::Pages, Requests::pages()),
            (Way::Stream, Requests::streaming_lists()),
        ] {
            let begun = Instant::now();
            let rig = first_state_through(way, requests, Injection::throttle(retry_after)).await;
            assert!(begun.elapsed() >= Duration::from_millis(least));
            rig.reported(FaultClass::Throttled, Some(429), "429: Too many requests");
            assert_eq!(rig.errors.lock()[0].retry_after(), retry_after);
            assert_eq!(rig.relists().total(), 0);
            assert_eq!(rig.asked(false) == 0, way == Way::Stream, "it does not fall back");
            rig.stop().await;
        }
        let begun = Instant::now();
        let rig = watch_through(Way::List, Injection::throttle(retry_after)).await;
        assert!(begun.elapsed() >= Duration::from_millis(least));
        rig.reported(FaultClass::Throttled, Some(429), "watch configmaps: 429");
        assert_eq!(rig.relists().total(), 0, "the watch goes on where it was");
        rig.stop().await;
    }
    let rig = watch_through(Way::List, Injection::error_event(1, 429)).await;
    rig.reported(FaultClass::Throttled, Some(429), "watch configmaps: 429 TooManyRequests");
    assert_eq!(rig.relists().total(), 0);
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_failing_server_is_asked_again() {
    for (code, class) in
        [(500, FaultClass::Internal), (503, FaultClass::Other), (504, FaultClass::Other)]
    {
        for (way, requests) in [
            (Way::List, Requests::lists()),
            (Way::Pages, Requests::pages()),
            (Way::Stream, Requests::streaming_lists()),
        ] {
            let rig = first_state_through(way, requests, Injection::status(code)).await;
            rig.reported(class, Some(code), &format!("{code} "));
            assert_eq!(rig.relists().total(), 0);
            rig.stop().await;
        }
        let rig = watch_through(Way::List, Injection::status(code)).await;
        rig.reported(class, Some(code), &format!("watch configmaps: {code} "));
        rig.relisted(RelistCause::WatchNotOpened, 1);
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn only_internal_stream_errors_need_no_relist() {
    let rig = watch_through(Way::List, Injection::error_event(1, 500)).await;
    rig.reported(FaultClass::Internal, Some(500), "watch configmaps: 500 InternalError");
    assert_eq!(rig.relists().total(), 0);
    rig.stop().await;
    let rig = watch_through(Way::List, Injection::error_event(1, 504)).await;
    rig.reported(FaultClass::Other, Some(504), "watch configmaps: 504 Timeout");
    rig.relisted(RelistCause::WatchFailed, 1);
    rig.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_long_outage_is_asked_seldom_and_survived() {
    for code in [500, 503] {
        let rig = Rig::synced(Way::List).await;
        let outage = rig.inject(Requests::all(), Injection::status(code));
        rig.faults.cut_now();
        rig.change("outage");
        sleep(Duration::from_secs(3600)).await;
        assert!((60..160).contains(&outage.count()), "{} attempts in an hour", outage.count());
        assert_eq!(rig.stored().len(), 12, "what is known stays");
        outage.remove();
        rig.comes_right().await;
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_permission_revoked_and_given_back() {
    for code in [401, 403] {
        let class = if code == 401 { FaultClass::Unauthorized } else { FaultClass::Forbidden };
        let rig = Rig::synced(Way::List).await;
        let revoked =
            rig.inject(Requests::to(Requests::reads(), "/configmaps"), Injection::status(code));
        rig.faults.cut_now();
        rig.change("unseen");
        sleep(Duration::from_secs(600)).await;
        assert_eq!(rig.stored().len(), 12, "what is known stays");
        let (last, _) = rig.maps.status().reflector.last_error.unwrap();
        assert_eq!((last.class(), last.is_retryable()), (class, false));
        revoked.remove();
        rig.comes_right().await;
        rig.reported(class, Some(code), &format!("watch configmaps: {code}"));
        rig.reported(class, Some(code), &format!("list configmaps: {code}"));
        rig.relisted(RelistCause::WatchNotOpened, 1);
        rig.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn initially_missing_permission_is_named_by_wait() {
    for way in WAYS {
        let rig = Rig::new(way);
        let missing = rig.inject(Requests::reads(), Injection::status(403));
        rig.factory.start().unwrap();
        let error = rig.factory.wait_for_sync(Duration::from_secs(60)).await.unwrap_err();
        assert!(error.to_string().contains("list configmaps: 403 Forbidden"), "{error}");
        missing.remove();
        rig.factory.wait_for_sync(Duration::from_secs(61)).await.unwrap();
        rig.comes_right().await;
        rig.stop().await;
    }
}
