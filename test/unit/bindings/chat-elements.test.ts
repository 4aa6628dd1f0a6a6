import type { Component } from 'svelte'
import { render } from 'svelte/server'
import { expect, test } from 'vitest'
import { createRenderer, h } from 'vue'
import type { Agent } from '../../../src/index.ts'
import { attachChat, type ChatAttachment } from '../../../src/ui/svelte/index.ts'
import { OffstageChat } from '../../../src/ui/vue/index.ts'

test("Svelte: a chat that is shown again gets all properties, and a known one keeps the person's", () => {
  const agent = {} as Agent
  let attach: ChatAttachment = () => undefined
  const component = (): void => {
    attach = attachChat({ agent, heading: 'Help' })
  }
  // Renders once its result is read.
  expect(render(component as unknown as Component).body).not.toContain('offstage')
  const [first, second] = [{}, {}] as [HTMLElement, HTMLElement]
  attach(first)
  // `{#if isOpen}<offstage-chat {@attach chat}></offstage-chat>{/if}`, closed and opened.
  attach(second)
  for (const element of [first, second]) expect(element).toMatchObject({ agent, heading: 'Help' })
  Object.assign(second, { heading: 'Mine' })
  attach(second)
  expect(second).toMatchObject({ heading: 'Mine' })
})

/** An element, as far as Vue's renderer needs one. */
interface Node {
  readonly tag: string
  readonly children: Node[]
  readonly report?: unknown
}

const { createApp } = createRenderer<Node, Node>({
  createElement: (tag) => ({ tag, children: [] }),
  createText: (tag) => ({ tag, children: [] }),
  createComment: (tag) => ({ tag, children: [] }),
  insert: (child, parent) => void parent.children.push(child),
  remove: () => undefined,
  parentNode: () => null,
  nextSibling: () => null,
  patchProp: () => undefined,
  setText: () => undefined,
  setElementText: () => undefined,
})

test.each([
  // A template's attribute without a value is an empty string.
  ['<OffstageChat report />', { report: '' }, true],
  ['<OffstageChat :report="true" />', { report: true }, true],
  ['<OffstageChat :report="false" />', { report: false }, undefined],
  ['<OffstageChat />', {}, undefined],
])('Vue: %s', (_, props, report) => {
  const root: Node = { tag: 'root', children: [] }
  createApp({ render: () => h(OffstageChat as never, props) }).mount(root)
  const chat = root.children.find(({ tag }) => tag === 'offstage-chat')
  expect(chat?.report).toBe(report)
})
