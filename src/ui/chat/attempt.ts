/** Calls a function of the page. Its error is reported to the page, and the chat goes on without a value. */
export function attempt<Value>(act: () => Value): Value | undefined {
  try {
    return act()
  } catch (thrown) {
    reportError(thrown)
    return undefined
  }
}
