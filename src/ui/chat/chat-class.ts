import { ChatElement } from './element.ts'
import type { OffstageChat as Element } from './context.ts'

export type { ChatProperties } from './context.ts'
export type { AnswerAction, AnswerOptions, AnswerSource } from './context.ts'
export type { Placement, Theme } from './context.ts'
export type { CallRenderers, MarkdownOptions, RenderedCall, RendererActions } from './context.ts'
export type { ActionDetails, ActionName, ChatEvents } from './context.ts'
export type { Words } from './words/words.ts'

export type OffstageChat = Element

/**
 * The class of `<offstage-chat>`, for defining the element under another name: `customElements.define('my-chat',
 * OffstageChat)`.
 */
export const OffstageChat: { new (): OffstageChat; readonly prototype: OffstageChat } = ChatElement
