import { byId, setText } from './lib/dom.ts'
import { storedValue } from './lib/stored.ts'

export type View = 'agent' | 'app'

/** On narrow screens, where the app and the agent have the page in turn. */
export interface Views {
  show(view: View): void
}

export function createViews(appTitle: string): Views {
  const storedView = storedValue('sessionStorage', 'kiln-view')
  const buttons = { agent: viewButton('agent'), app: viewButton('app') }
  const show = (view: View): void => {
    document.body.dataset.view = view
    for (const [name, each] of Object.entries(buttons))
      each.setAttribute('aria-pressed', String(name === view))
    storedView.write(view)
  }
  buttons.agent.addEventListener('click', () => show('agent'))
  buttons.app.addEventListener('click', () => show('app'))
  setText(buttons.app, appTitle)
  show(storedView.read() === 'app' ? 'app' : 'agent')
  return { show }
}

function viewButton(view: View): HTMLButtonElement {
  return byId(`view-${view}`, HTMLButtonElement)
}
