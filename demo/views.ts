import { byId } from './lib/dom.ts'
import { stored } from './lib/stored.ts'

export type View = 'agent' | 'shop'

/** On narrow screens, where the shop and the agent have the page in turn. */
export interface Views {
  show(view: View): void
}

export function createViews(): Views {
  const kept = stored('sessionStorage', 'kiln-view')
  const buttons = { agent: button('agent'), shop: button('shop') }
  const show = (view: View): void => {
    document.body.dataset.view = view
    for (const [name, each] of Object.entries(buttons))
      each.setAttribute('aria-pressed', String(name === view))
    kept.write(view)
  }
  buttons.agent.addEventListener('click', () => show('agent'))
  buttons.shop.addEventListener('click', () => show('shop'))
  show(kept.read() === 'shop' ? 'shop' : 'agent')
  return { show }
}

function button(view: View): HTMLButtonElement {
  return byId(`view-${view}`, HTMLButtonElement)
}
