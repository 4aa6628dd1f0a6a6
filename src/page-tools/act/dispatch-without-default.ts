import * as native from '../native.ts'

/**
 * Dispatches an event without the browser's default action; returns false when a listener prevented the default. The
 * caller performs the default action itself, so that all browsers behave alike. By the standard, events of scripts have
 * no default action. Yet in WebKit, a script's `mousedown` moves sliders and lists, and its Enter submits. In Firefox,
 * its Enter follows links. The event is therefore prevented before it is dispatched, and hides that from its listeners.
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
