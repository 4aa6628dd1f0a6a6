import type { Discovery } from 'offstage/providers'
import { byId, el, setText } from '../lib/dom.ts'
import { Latest } from '../lib/latest.ts'
import { presetOf } from './presets.ts'

/** The demo has no engine for the browser's own model, so only servers are of use. */
export type FoundServer = Extract<Discovery, { type: 'server' }>

export interface FoundModels {
  search(): void
  /** Ends a search that is under way and takes away what was found. */
  clear(): void
}

/** The part of the dialog that lists the local servers and their models. */
export function createFoundModels(
  onPick: (server: FoundServer, model: string) => void,
): FoundModels {
  const list = byId('found', HTMLElement)
  const status = byId('found-status', HTMLElement)
  const latest = new Latest()

  const show = (text: string, servers: readonly FoundServer[] = []): void => {
    setText(status, text)
    list.replaceChildren(...servers.map((server) => describeServer(server, onPick)))
  }
  const search = async (): Promise<void> => {
    const signal = latest.start()
    show('Looking…')
    const servers = await findServers(signal)
    if (!signal.aborted) show(servers.length > 0 ? '' : 'No model server found.', servers)
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

async function findServers(signal: AbortSignal): Promise<readonly FoundServer[]> {
  try {
    const { discover } = await import('offstage/providers')
    return (await discover({ signal })).filter((entry) => entry.type === 'server')
  } catch {
    return []
  }
}

function describeServer(
  server: FoundServer,
  onPick: (server: FoundServer, model: string) => void,
): HTMLElement {
  const name = presetOf(server.provider)?.label ?? server.provider
  const choice = (model: string, label: string): HTMLElement =>
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
      ...(isReady ? server.models.map((model) => choice(model, model)) : []),
      ...(needsKey ? [choice('', 'Type the key')] : []),
    ),
  )
}
