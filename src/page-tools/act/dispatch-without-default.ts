import * as native from '../native.ts'

/**
 * Dispatches an event without a default action of the browser; returns false when a listener prevented the
 * default. The caller performs the default action itself, so that all browsers behave alike: by the
 * standard, events of scripts have none, yet in WebKit such a `mousedown` moves sliders and lists and an
 * Enter submits, and in Firefox an Enter follows links. So the event is prevented before it is dispatched,
 * and hides that from its listeners.
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
  native.dispatchEvent(target, event)
  return !prevented
}
