import type { ReactiveControllerHost } from 'lit'

interface Host extends ReactiveControllerHost {
  readonly renderRoot: HTMLElement | DocumentFragment
}

/** Where what had the focus is taken away or disabled, the focus goes on nearby: to where one writes, or to the messages. */
export function keepFocus(host: Host): void {
  let focused: Element | null = null
  host.addController({
    hostUpdate() {
      const { renderRoot } = host
      focused = renderRoot instanceof ShadowRoot ? renderRoot.activeElement : null
    },
    hostUpdated() {
      const had = focused
      focused = null
      if (!had || (had.isConnected && !had.matches(':disabled'))) return
      const place = had.closest('.composer') ? '.prompt' : '.log'
      host.renderRoot.querySelector<HTMLElement>(place)?.focus({ preventScroll: true })
    },
  })
}
