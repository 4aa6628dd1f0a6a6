import { html, nothing, type TemplateResult } from 'lit'
import type { InspectorContext } from '../context.ts'
import { toVisibleText } from './format.ts'

/** Children of a list or record that are drawn before a person asks for more. */
const MOST_CHILDREN = 100
const LONGEST_TEXT = 2000

type Open = Pick<InspectorContext, 'chosen' | 'choose'>

/** Shows data as a tree; only branches that a person has opened are drawn. */
export function treeView(value: unknown, root: string, open: Open): TemplateResult {
  return html`<div class="tree">${nodeView({ name: '', value, path: root, depth: 0 }, open)}</div>`
}

interface Node {
  readonly name: string
  readonly value: unknown
  readonly path: string
  readonly depth: number
}

function nodeView({ name, value, path, depth }: Node, open: Open): TemplateResult {
  const label = name === '' ? nothing : html`<span class="name">${toVisibleText(name)}</span> `
  if (typeof value !== 'object' || value === null)
    return html`<div class="leaf">${label}${leafView(value, path, open)}</div>`
  const entries = Object.entries(value)
  const isOpen = open.chosen.turned.has(path) !== depth < 1
  const brackets = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  return html`<div class="branch">
    <button type="button" class="turn" aria-expanded=${isOpen} @click=${() => turn(path, open)}>
      ${label}<span class="quiet"
        >${isOpen ? brackets : `${brackets} ${toVisibleText(previewOf(value))}`}</span
      >
    </button>
    ${
      isOpen
        ? html`<div class="children">${childrenView(entries, { path, depth }, open)}</div>`
        : nothing
    }
  </div>`
}

function childrenView(
  entries: readonly (readonly [string, unknown])[],
  { path, depth }: Pick<Node, 'path' | 'depth'>,
  open: Open,
): TemplateResult {
  const more = `${path}/more`
  const all = open.chosen.turned.has(more)
  const shown = all ? entries : entries.slice(0, MOST_CHILDREN)
  return html`${shown.map(([name, value]) =>
    nodeView({ name, value, path: `${path}/${name}`, depth: depth + 1 }, open),
  )}${
    shown.length < entries.length
      ? html`<button type="button" class="turn" @click=${() => turn(more, open)}>
          ${entries.length - shown.length} more
        </button>`
      : nothing
  }`
}

function leafView(value: unknown, path: string, open: Open): TemplateResult {
  if (typeof value !== 'string') return html`<span class="value">${String(value)}</span>`
  const isLong = value.length > LONGEST_TEXT && !open.chosen.turned.has(path)
  return html`<span class="text"
      >${toVisibleText(isLong ? value.slice(0, LONGEST_TEXT) : value)}</span
    >${
      isLong
        ? html`<button type="button" class="turn" @click=${() => turn(path, open)}>
            Show all ${value.length} characters
          </button>`
        : nothing
    }`
}

function turn(path: string, { chosen, choose }: Open): void {
  if (!chosen.turned.delete(path)) chosen.turned.add(path)
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
