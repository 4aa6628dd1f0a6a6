// Runs in the page: one conversation by one library, and what came of it.

/** Times are milliseconds since the start. */
export async function measure({ script, baseURL, ...options }) {
  const { run } = await import(script)
  const counts = { characters: 0, textDeltas: 0, inputDeltas: 0, inputLength: 0 }
  const callTimes = []
  await run({
    baseURL,
    ...options,
    onText(delta) {
      counts.characters += delta.length
      counts.textDeltas++
    },
    onInput: () => void counts.inputDeltas++,
    write({ text }) {
      callTimes.push(performance.now())
      counts.inputLength = text.length
      return 'ok'
    },
  })
  return { ...counts, callTimes }
}
