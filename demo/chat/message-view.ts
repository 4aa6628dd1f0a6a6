import type { AssistantMessage, Message } from 'offstage'
import { el, setText } from '../lib/dom.ts'
import type { View } from '../lib/keyed-list.ts'
import { createKeyedList } from '../lib/keyed-list.ts'
import type { CallAnswers } from './call-answers.ts'
import { createCallCard } from './call-card.ts'
import type { CallItem } from './call-status.ts'

/** A message and what its calls came to, which stands in other messages. */
export interface MessageItem {
  readonly id: string
  readonly message: Message
  call(part: CallItem['call']): CallItem
  /** It is being written. */
  readonly isOpen: boolean
}

export interface MessageOptions {
  readonly answers: CallAnswers
  titleOf(toolName: string): string
  /** A button under this text, if there is to be one. */
  offerFor(text: string): HTMLElement | undefined
}

export function createMessageView(
  { message }: MessageItem,
  options: MessageOptions,
): View<MessageItem> {
  return message.role === 'assistant' ? assistantView(options) : userView()
}

function userView(): View<MessageItem> {
  const text = el('p', { class: 'text' })
  const element = el('li', { class: 'message user' }, text)
  return {
    element,
    update({ message }) {
      element.classList.toggle('synthetic', message.role === 'user' && message.synthetic === true)
      const parts = message.role === 'user' ? message.parts : []
      setText(text, parts.map((part) => (part.type === 'text' ? part.text : '[file]')).join('\n'))
    },
  }
}

type Part = AssistantMessage['parts'][number]

interface PartItem {
  readonly key: string
  readonly part: Part
  readonly item: MessageItem
}

function assistantView(options: MessageOptions): View<MessageItem> {
  const parts = el('div', { class: 'parts' })
  const cut = el('p', { class: 'hint', hidden: true }, 'Cut short.')
  const element = el('li', { class: 'message assistant' }, parts, cut)
  const show = createKeyedList<PartItem>(parts, {
    key: ({ key }) => key,
    create: ({ part }) => partView(part, options),
  })
  return {
    element,
    update(item) {
      if (item.message.role !== 'assistant') return
      element.classList.toggle('open', item.isOpen)
      cut.hidden = item.message.partial !== true
      show(item.message.parts.map((part, index) => ({ key: `${index}:${part.type}`, part, item })))
    },
  }
}

function partView(part: Part, options: MessageOptions): View<PartItem> {
  switch (part.type) {
    case 'text':
      return textView(options)
    case 'reasoning':
      return reasoningView()
    case 'file':
      return fileView(part)
    case 'tool-call': {
      const card = createCallCard(options.titleOf(part.toolName), options.answers)
      return {
        element: card.element,
        update({ part: newest, item }) {
          if (newest.type === 'tool-call') card.update(item.call(newest))
        },
      }
    }
  }
}

function textView({ offerFor }: MessageOptions): View<PartItem> {
  const text = el('p', { class: 'text' })
  const element = el('div', {}, text)
  return {
    element,
    update({ part }) {
      if (part.type !== 'text') return
      setText(text, part.text)
      const offer = element.childElementCount === 1 ? offerFor(part.text) : undefined
      if (offer) element.append(offer)
    },
  }
}

function reasoningView(): View<PartItem> {
  const text = el('p', { class: 'text' })
  const element = el('details', { class: 'reasoning' }, el('summary', {}, 'Thoughts'), text)
  return {
    element,
    update({ part }) {
      if (part.type === 'reasoning') setText(text, part.text)
    },
  }
}

/** What the model produced: a file doesn't change. */
function fileView({ mediaType, data }: Extract<Part, { type: 'file' }>): View<PartItem> {
  if (!mediaType.startsWith('image/'))
    return { element: el('p', { class: 'text' }, `[${mediaType}]`), update() {} }
  const element = el('img', { class: 'picture', alt: 'A picture from the model' })
  element.src = `data:${mediaType};base64,${data}`
  return { element, update() {} }
}
