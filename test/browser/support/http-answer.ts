/**
 * Where an HTTP/1.1 answer with a chunked body can be cut, in bytes: after its head, inside each
 * chunk's last event and right after each chunk, where a client can't see the cut. (Browsers repeat a
 * request on their own when not even a head has come.) `proven`: after the chunk that holds `proof`.
 */
export function cutsOf(
  answer: Buffer,
  proof: string,
): { readonly cuts: readonly number[]; readonly proven: number } {
  const body = answer.indexOf('\r\n\r\n') + 4
  const cuts = [body]
  let proven = Infinity
  for (let at = body; at < answer.length;) {
    const lineEnd = answer.indexOf('\r\n', at)
    const size = Number.parseInt(answer.toString('latin1', at, lineEnd), 16)
    if (!(size > 0)) break
    const end = lineEnd + 2 + size + 2
    // An event ends in a brace or a bracket, two line feeds, and the chunk's own line end.
    cuts.push(end - 5, end)
    if (proven === Infinity && answer.subarray(at, end).includes(proof)) proven = end
    at = end
  }
  return { cuts, proven }
}
