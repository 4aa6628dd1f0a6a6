/**
 * Lets the page's listeners hear of an event; false when one prevented the default. Whatever a browser
 * does by itself is left to the caller, in every browser alike: by the standard an event of a script has
 * no default, yet in WebKit such a mousedown moves sliders and lists and an Enter submits, and in Firefox
 * an Enter follows links. So the event is prevented before anyone hears of it, and doesn't tell.
 */
export function dispatchWithoutDefault(target: EventTarget, event: Event): boolean {
  let prevented = false
  event.preventDefault()
  const prevent = (): void => {
    prevented ||= event.cancelable
  }
  Object.defineProperties(event, {
    preventDefault: { value: prevent },
    defaultPrevented: { get: () => prevented },
    returnValue: {
      get: () => !prevented,
      set: (value: unknown) => {
        if (!value) prevent()
      },
    },
  })
  target.dispatchEvent(event)
  return !prevented
}
