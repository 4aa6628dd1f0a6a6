/**
 * Milliseconds that @ai-sdk-tool/parser takes to read a text in pieces; undefined when it isn't
 * installed (`npm install` in bench/peers), Infinity when it doesn't end within the budget.
 */
export async function readWithPeer(text, tools, { pieceLength, budget }) {
  const protocol = await loadProtocol()
  if (!protocol) return undefined
  const startedAt = performance.now()
  const stream = new ReadableStream({
    start(controller) {
      for (let at = 0; at < text.length; at += pieceLength)
        controller.enqueue({ type: 'text-delta', id: '1', delta: text.slice(at, at + pieceLength) })
      controller.enqueue({ type: 'text-end', id: '1' })
      controller.enqueue({ type: 'finish', finishReason: 'stop', usage: {} })
      controller.close()
    },
  }).pipeThrough(
    protocol.createStreamParser({
      tools: tools.map((tool) => ({ type: 'function', ...tool })),
      options: {},
    }),
  )
  const reader = stream.getReader()
  for (;;) {
    const { done } = await reader.read()
    if (done) return performance.now() - startedAt
    if (performance.now() - startedAt > budget) {
      await reader.cancel()
      return Infinity
    }
  }
}

async function loadProtocol() {
  try {
    const peer = await import('../peers/node_modules/@ai-sdk-tool/parser/dist/index.js')
    return (peer.morphXmlProtocol ?? peer.xmlProtocol)?.()
  } catch {
    return undefined
  }
}
