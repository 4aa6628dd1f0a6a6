import type { Discovery } from 'offstage/providers'
import { byId, el, setText } from '../lib/dom.ts'
import { Latest } from '../lib/latest.ts'
import { presetOf } from './presets.ts'

export type FoundServer = Extract<Discovery, { type: 'server' }>

type FoundEngine = Exclude<Discovery, FoundServer>

interface FoundOptions {
  onPick(server: FoundServer, model: string): void
  /** An engine of this browser was chosen. Its model may be large, so nothing is loaded yet. */
  onEngine(provider: string, model: string): void
}

export interface FoundModels {
  search(): void
  /** Ends a search that is under way and takes away what was found. */
  clear(): void
}

/** The part of the dialog that lists the local servers and their models. */
export function createFoundModels(options: FoundOptions): FoundModels {
  const list = byId('found', HTMLElement)
  const status = byId('found-status', HTMLElement)
  const latest = new Latest()

  const show = (text: string, models: readonly Discovery[] = []): void => {
    setText(status, text)
    list.replaceChildren(
      ...models.map((entry) =>
        entry.type === 'server'
          ? describeServer(entry, options.onPick)
          : describeEngine(entry, options.onEngine),
      ),
    )
  }
  const search = async (): Promise<void> => {
    const signal = latest.start()
    show('Looking…')
    const models = await findModels(signal)
    if (signal.aborted) return
    const hasServer = models.some(({ type }) => type === 'server')
    show(hasServer ? '' : 'No model server found.', models)
  }
  const startSearch = (): void => void search()
  byId('found-search', HTMLButtonElement).addEventListener('click', startSearch)
  return {
    search: startSearch,
    clear() {
      latest.stop()
      show('')
    },
  }
}

async function findModels(signal: AbortSignal): Promise<readonly Discovery[]> {
  try {
    const { discover } = await import('offstage/providers')
    return await discover({ signal })
  } catch {
    return []
  }
}

function describeServer(
  server: FoundServer,
  onPick: (server: FoundServer, model: string) => void,
): HTMLElement {
  const name = presetOf(server.provider)?.label ?? server.provider
  const choiceButton = (model: string, label: string): HTMLElement =>
    el(
      'button',
      {
        type: 'button',
        'aria-label': `${name}: ${label}`,
        onclick: () => onPick(server, model),
      },
      label,
    )
  const isReady = server.status === 'ready'
  const needsKey = server.status === 'key-needed'
  return el(
    'li',
    {},
    el('p', { class: 'found-name' }, name, ' ', el('span', { class: 'hint' }, server.baseURL)),
    ...(server.fix && !needsKey ? [el('p', { class: 'hint' }, server.fix)] : []),
    el(
      'div',
      { class: 'found-choices' },
      ...(isReady ? server.models.map((model) => choiceButton(model, model)) : []),
      ...(needsKey ? [choiceButton('', 'Type the key')] : []),
    ),
  )
}

function describeEngine(
  { config: { provider, model } }: FoundEngine,
  onEngine: FoundOptions['onEngine'],
): HTMLElement {
  const { label = provider, note = '' } = presetOf(provider) ?? {}
  return el(
    'li',
    {},
    el('p', { class: 'found-name' }, label),
    el('p', { class: 'hint' }, note),
    el(
      'div',
      { class: 'found-choices' },
      el(
        'button',
        {
          type: 'button',
          'aria-label': `${label}: ${model}`,
          onclick: () => onEngine(provider, model),
        },
        model === 'default' ? 'Choose it' : model,
      ),
    ),
  )
}
