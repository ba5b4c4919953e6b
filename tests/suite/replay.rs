//! Answers with recorded bytes over a TCP socket.

use std::convert::Infallible;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::helpers::spawn;

/// The way in which the body of a replayed answer is cut.
#[derive(Clone, Debug)]
pub(crate) enum Cut {
    /// Into chunks of these sizes; what is left is one more.
    Chunks(Vec<usize>),
    /// Into single bytes.
    Bytes,
    /// After so many bytes the connection is closed.
    Off(usize),
}

/// An answer to replay.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub cut: Cut,
}

/// A client of a socket that gives this answer to whatever is asked.
pub(crate) async fn replay(answer: Answer) -> kube::Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let answer = Arc::new(answer);
    spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let answer = answer.clone();
            spawn(async move { serve(socket, &answer).await.unwrap_or_default() });
        }
        Ok::<(), Infallible>(())
    });
    let mut config = kube::Config::new(uri);
    config.default_retry = false;
    kube::Client::try_from(config).unwrap()
}

async fn serve(mut socket: tokio::net::TcpStream, answer: &Answer) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(socket.read_u8().await?);
    }
    socket.set_nodelay(true)?;
    let status = answer.status;
    let lines = answer.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let headers: Vec<String> = lines.collect();
    let head = format!(
        "HTTP/1.1 {status} Replayed\r\nTransfer-Encoding: chunked\r\n{}\r\n",
        headers.concat()
    );
    socket.write_all(head.as_bytes()).await?;
    let sizes: Box<dyn Iterator<Item = usize> + Send> = match &answer.cut {
        Cut::Chunks(sizes) => Box::new(sizes.clone().into_iter().chain([usize::MAX])),
        Cut::Bytes => Box::new(std::iter::repeat(1)),
        Cut::Off(bytes) => Box::new([*bytes].into_iter()),
    };
    let mut rest = &answer.body[..];
    // Many small chunks go out in one write: what the client reads is cut all the same.
    let mut socket = tokio::io::BufWriter::with_capacity(512, socket);
    for size in sizes {
        let (chunk, left) = rest.split_at(size.min(rest.len()));
        rest = left;
        if chunk.is_empty() {
            break;
        }
        let framed = [format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat();
        socket.write_all(&framed).await?;
    }
    if !matches!(answer.cut, Cut::Off(_)) {
        socket.write_all(b"0\r\n\r\n").await?;
    }
    socket.flush().await?;
    socket.shutdown().await
}
