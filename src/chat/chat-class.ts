import { ChatElement } from './element.ts'
import type { OffstageChat as Element } from './offstage-chat.ts'

export type { ChatProperties } from './offstage-chat.ts'
export type { AnswerAction, AnswerOptions, AnswerSource } from './answer-options.ts'
export type { Placement, Theme } from './placement.ts'
export type { CallRenderers, MarkdownOptions, RenderedCall, RendererActions } from './context.ts'
export type { ActionDetails, ActionName, ChatEvents } from './chat-events.ts'
export type { Words } from './words/words.ts'

export type OffstageChat = Element

/** The class of `<offstage-chat>`, to define under another name: `customElements.define('my-chat', OffstageChat)`. */
export const OffstageChat: { new (): OffstageChat; readonly prototype: OffstageChat } = ChatElement
