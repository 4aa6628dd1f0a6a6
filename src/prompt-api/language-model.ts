/** The part of the browser's Prompt API that Offstage uses (https://developer.mozilla.org/docs/Web/API/LanguageModel). */
export interface LanguageModelFactory {
  availability(options?: object): Promise<Availability>
  create(options: {
    readonly initialPrompts: readonly Prompt[]
    readonly signal: AbortSignal
    readonly monitor: (monitor: EventTarget) => void
  }): Promise<LanguageModelSession>
}

export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

export interface LanguageModelSession {
  promptStreaming(
    prompts: readonly Prompt[],
    options: { readonly signal: AbortSignal },
  ): ReadableStream<string>
  destroy(): void
}

export interface Prompt {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string | readonly PromptPart[]
}

export type PromptPart =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'image'; readonly value: Blob }

/** The Prompt API. Undefined if the browser or context has none, as in workers and on plain HTTP pages. */
export function findLanguageModel(): LanguageModelFactory | undefined {
  return Reflect.get(globalThis, 'LanguageModel') as LanguageModelFactory | undefined
}
