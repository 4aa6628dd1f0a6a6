import { html, nothing, type TemplateResult } from 'lit'
import type { InspectorContext } from '../context.ts'
import { toVisibleText } from './format.ts'

/** Children of a list or record that are drawn before a person asks for more. */
const MOST_CHILDREN = 100
const LONGEST_TEXT = 2000

type TreeState = Pick<InspectorContext, 'chosen' | 'choose'>

/** Shows data as a tree; only branches that a person has opened are drawn. */
export function treeView(value: unknown, root: string, state: TreeState): TemplateResult {
  return html`<div class="tree">${nodeView({ name: '', value, path: root, depth: 0 }, state)}</div>`
}

interface Node {
  readonly name: string
  readonly value: unknown
  readonly path: string
  readonly depth: number
}

function nodeView({ name, value, path, depth }: Node, state: TreeState): TemplateResult {
  const label = name === '' ? nothing : html`<span class="name">${toVisibleText(name)}</span> `
  if (typeof value !== 'object' || value === null)
    return html`<div class="leaf">${label}${leafView(value, path, state)}</div>`
  const entries = Object.entries(value)
  const isOpen = state.chosen.toggled.has(path) !== depth < 1
  const brackets = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  return html`<div class="branch">
    <button type="button" class="turn" aria-expanded=${isOpen} @click=${() => toggle(path, state)}>
      ${label}<span class="quiet"
        >${isOpen ? brackets : `${brackets} ${toVisibleText(previewOf(value))}`}</span
      >
    </button>
    ${
      isOpen
        ? html`<div class="children">${childrenView(entries, { path, depth }, state)}</div>`
        : nothing
    }
  </div>`
}

function childrenView(
  entries: readonly (readonly [string, unknown])[],
  { path, depth }: Pick<Node, 'path' | 'depth'>,
  state: TreeState,
): TemplateResult {
  const moreKey = `${path}/more`
  const showsAll = state.chosen.toggled.has(moreKey)
  const shown = showsAll ? entries : entries.slice(0, MOST_CHILDREN)
  return html`${shown.map(([name, value]) =>
    nodeView({ name, value, path: `${path}/${name}`, depth: depth + 1 }, state),
  )}${
    shown.length < entries.length
      ? html`<button type="button" class="turn" @click=${() => toggle(moreKey, state)}>
          ${entries.length - shown.length} more
        </button>`
      : nothing
  }`
}

function leafView(value: unknown, path: string, state: TreeState): TemplateResult {
  if (typeof value !== 'string') return html`<span class="value">${String(value)}</span>`
  const isLong = value.length > LONGEST_TEXT && !state.chosen.toggled.has(path)
  return html`<span class="text"
      >${toVisibleText(isLong ? value.slice(0, LONGEST_TEXT) : value)}</span
    >${
      isLong
        ? html`<button type="button" class="turn" @click=${() => toggle(path, state)}>
            Show all ${value.length} characters
          </button>`
        : nothing
    }`
}

function toggle(path: string, { chosen, choose }: TreeState): void {
  if (!chosen.toggled.delete(path)) chosen.toggled.add(path)
  choose({})
}

function previewOf(value: object): string {
  const parts = Object.entries(value)
    .slice(0, 4)
    .map(([name, each]) =>
      typeof each === 'object' && each !== null ? name : `${name}: ${String(each).slice(0, 40)}`,
    )
  return parts.join(', ').slice(0, 120)
}
