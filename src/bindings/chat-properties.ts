import type { ChatProperties } from '../chat/index.ts'

/** What a component passes on to `<offstage-chat>`. */
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

/** The same as far as it is given. */
export type GivenSettings = {
  readonly [Name in keyof ChatSettings]?: ChatSettings[Name] | undefined
}

/**
 * Sets what is not as it was set before, and nothing else: the element may have gone on to another conversation. Returns
 * what is to be passed as `before` the next time.
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

/** Defines the element, in a page only: whoever shows no chat doesn't load it. */
export function loadChat(): void {
  import('../chat/index.ts').catch((thrown: unknown) => reportError(thrown))
}
