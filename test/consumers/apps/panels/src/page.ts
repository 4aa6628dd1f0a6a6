import { listeners } from './agent'

/** Shows the panel of a conversation, and lets the test show another one, or none. */
export function show(open: (id: string) => void, close: () => void): void {
  Object.assign(window, { panel: { open, close, listeners } })
  open('chat')
}

export const app = document.querySelector('#app') as HTMLElement
