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
  const settings = { ...CHAT_DEFAULTS }
  const names = Object.keys(CHAT_DEFAULTS) as (keyof ChatSettings)[]
  for (const name of names) set(name)
  return settings

  function set<Name extends keyof ChatSettings>(name: Name): void {
    settings[name] = given[name] ?? CHAT_DEFAULTS[name]
    if (settings[name] !== before[name]) element[name] = settings[name]
  }
}

/** Defines the element, in a page only: whoever shows no chat doesn't load it. */
export function loadChat(): void {
  import('../chat/index.ts').catch((thrown: unknown) => reportError(thrown))
}
