import { createAgent, type Agent, type AgentOptions, type ModelConfig } from 'offstage'
import { pageTools } from 'offstage/page-tools'
import type { DemoApp } from '../app.ts'

interface DemoAgentOptions {
  readonly model: ModelConfig
  /** Default: Offstage's own worker. */
  readonly worker?: () => Worker
  /** Default: the app's own. */
  readonly tools?: DemoApp['tools']
  /** Default: none. */
  readonly engines?: NonNullable<AgentOptions['engines']>
  /** Lets the inspector show requests and raw answers. Default false. */
  readonly recordsRequests?: boolean
  /** Called before the agent uses a page tool. */
  onPageAction?(): void
}

export function createDemoAgent(
  app: DemoApp,
  {
    model,
    worker,
    tools = app.tools,
    engines = [],
    recordsRequests = false,
    onPageAction,
  }: DemoAgentOptions,
): Agent {
  // The app's own tools come first. Page tools do what none of them does.
  const pageActionTools = pageTools({
    root: () => document.getElementById(app.id),
    showActions: true,
    tools: ['read_page', 'click', 'type_text', 'highlight'],
  })
  const pageActionNames = new Set(pageActionTools.map(({ name }) => name))
  return createAgent({
    model,
    ...(worker && { worker }),
    engines,
    // A worker that was killed is missed soon.
    heartbeatMs: 1000,
    instructions: `${app.instructions} Only for what your tools cannot do, such as showing where something is, use the page itself: read_page, click, type_text, highlight. Answer in one or two sentences. Today is {{date}}.`,
    values: { date: new Date().toDateString() },
    tools: [...tools, ...pageActionTools],
    requests: recordsRequests,
    raw: recordsRequests,
    controlTools: ['ask_user'],
    questionFields: true,
    consent: 'person',
    context: app.context,
    storage: { name: app.id === 'shop' ? 'kiln' : app.id },
    beforeToolCall({ toolName }) {
      if (pageActionNames.has(toolName)) onPageAction?.()
    },
  })
}
