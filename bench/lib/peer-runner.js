// Runs one conversation with one library, in the page.

/** Returns what the library delivered. `callTimes`: when each call ran, by the page's `performance.now()`. */
export async function measure({ script, baseURL, ...options }) {
  const { run } = await import(script)
  const counts = { characters: 0, inputLength: 0 }
  const callTimes = []
  await run({
    baseURL,
    ...options,
    onText: (delta) => void (counts.characters += delta.length),
    onInput: () => undefined,
    write({ text }) {
      callTimes.push(performance.now())
      counts.inputLength = text.length
      return 'ok'
    },
  })
  return { ...counts, callTimes }
}
