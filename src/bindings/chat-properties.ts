import type { ChatProperties } from '../chat/index.ts'

/** Properties that a component passes on to `<offstage-chat>`. */
export type ChatSettings = Omit<ChatProperties, 'send' | 'focusComposer' | 'open' | 'close'>

export const CHAT_DEFAULTS: ChatSettings = {
  agent: null,
  conversationId: null,
  placement: 'inline',
  theme: 'auto',
  heading: null,
  suggestions: [],
  words: {},
  renderers: {},
  markdown: {},
  answers: {},
}

/** Settings that a component was given; all are optional. */
export type GivenSettings = {
  readonly [Name in keyof ChatSettings]?: ChatSettings[Name] | undefined
}

/**
 * Sets only the properties that differ from `before`: the element may have moved on to another conversation. Returns
 * the `before` of the next call.
 */
export function setProperties(
  element: Partial<ChatSettings>,
  given: GivenSettings,
  before: ChatSettings,
): ChatSettings {
  const settings: Record<string, unknown> = {}
  const into = element as Record<string, unknown>
  for (const [name, fallback] of Object.entries(CHAT_DEFAULTS)) {
    const setting = given[name as keyof ChatSettings] ?? fallback
    settings[name] = setting
    if (setting !== before[name as keyof ChatSettings]) into[name] = setting
  }
  return settings as unknown as ChatSettings
}

/** Loads the module that defines the element. Called only in a browser, once a chat is shown. */
export function loadChat(): void {
  import('../chat/index.ts').catch((thrown: unknown) => reportError(thrown))
}
