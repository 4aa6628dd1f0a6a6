import { byId, el } from '../lib/dom.ts'
import { scenes } from '../model/script.ts'

/** `setBusy` greys the buttons out while a run is open. */
export function createSceneButtons(onTry: (prompt: string) => void): {
  setBusy(busy: boolean): void
} {
  const buttons = scenes.map(({ label, prompt }) => {
    const button = el('button', { type: 'button', title: prompt }, label)
    button.addEventListener('click', () => onTry(prompt))
    return button
  })
  byId('scenes', HTMLElement).append(...buttons)
  return {
    setBusy(busy) {
      for (const button of buttons) button.disabled = busy
    },
  }
}
