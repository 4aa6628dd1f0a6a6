import { type Agent, createAgent, type ModelConfig, OffstageError, type Script } from './index.ts'
import { type PageToolPreset, pageTools } from './page-tools/index.ts'
import './ui/chat/index.ts'
import type { OffstageChat } from './ui/chat/index.ts'

const ID = 'offstage-copilot'
const PARAMETERS = ['provider', 'model', 'baseURL', 'tools', 'heading', 'placement']
/** Names of parameters for secrets, including those within `baseURL`. */
const SECRET_NAME =
  /(?:^|api|[^a-z])(?:key|token|secret|password|pwd|credentials?|auth|authorization|bearer|sig)$/i
/** Keys of vendors whose keys have a prefix. */
const SECRET_VALUE = /\bsk-[\w-]{8}/
const INSTRUCTIONS =
  'You help the user of a web page. Read the page with your tools before you answer about it or act on it.'

const READ = 'What is on this page?'
const CONNECT = 'How do I connect a model?'
const SCRIPT: Script = {
  scenes: [
    {
      match: ['page'],
      steps: [
        { toolCalls: [{ toolName: 'read_page', input: {} }] },
        {
          text: `I have read the page: open the call above. A model would now answer from this text. I am a script, so I can't. Ask me: “${CONNECT}”`,
        },
      ],
    },
  ],
  fallback: [
    {
      text: `No model is connected, so a script answers. It can only read this page. Ask me: “${READ}”

To connect a model, add it to the address of \`copilot.js\`:

- A model on this computer: \`?provider=ollama&model=qwen3:4b\`
- A vendor's model, by a relay that keeps the key: \`?provider=openai&model=…&baseURL=/ai/v1\``,
    },
  ],
}

// An `async` script or an `import()` in the head may run before the page has a body.
if (globalThis.document && !document.body)
  await new Promise((resolve) =>
    document.addEventListener('DOMContentLoaded', resolve, { once: true }),
  )

/**
 * The copilot's chat on this page, even if added by an earlier load. Null on a server, or after a mistake in the
 * script's address, which the console reports.
 */
export const chat: OffstageChat | null = globalThis.document ? showChat(import.meta.url) : null

/** The agent that `chat` shows. */
export const agent: Agent | null = chat?.agent ?? null

function showChat(address: string): OffstageChat | null {
  try {
    const present = document.querySelector<OffstageChat>(`offstage-chat#${ID}`)
    if (present) return present
    const added = createChat(new URL(address).searchParams)
    // Added beside the body, which some routers replace.
    document.documentElement.append(added)
    return added
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.error(`Offstage shows no copilot. ${reason}`)
    return null
  }
}

function createChat(parameters: URLSearchParams): OffstageChat {
  const server = serverOf(parameters)
  checkParameters(parameters, server)
  const {
    tools = 'all',
    heading = 'Copilot',
    placement = 'bubble',
    ...given
  } = Object.fromEntries(parameters)
  if (placement !== 'bubble' && placement !== 'panel')
    throw new OffstageError('invalid-config', 'placement must be bubble or panel.')
  const model = modelOf(given, server)
  return Object.assign(document.createElement('offstage-chat'), {
    id: ID,
    heading,
    placement,
    suggestions: model.script ? [READ, CONNECT] : [],
    agent: createAgent({
      model,
      instructions: INSTRUCTIONS,
      tools: pageTools({ tools: tools as PageToolPreset }),
      // Keeps conversations apart from those of the page's own agents.
      storage: { name: ID },
    }),
  })
}

/** The model's server, relative to the page's address, whatever its `<base>` says. Throws for other schemes. */
function serverOf(parameters: URLSearchParams): URL | null {
  const given = parameters.get('baseURL')
  if (!given) return null
  const server = URL.parse(given, location.href)
  if (!/^https?:$/.test(server?.protocol ?? ''))
    throw new OffstageError('invalid-config', 'baseURL must be a path or an http(s) address.')
  return server
}

/** Throws for secrets and wrong letter case. Only warns of unknown names, because caches and servers add some. */
function checkParameters(parameters: URLSearchParams, server: URL | null): void {
  const names = [...parameters.keys(), ...(server?.searchParams.keys() ?? [])]
  const isSecret =
    // Splits `accessToken` into two words.
    names.some((name) => SECRET_NAME.test(name.replace(/[a-z](?=[A-Z])/g, '$&-'))) ||
    [...parameters].flat().some((text) => SECRET_VALUE.test(text)) ||
    server?.username ||
    server?.password
  if (isSecret)
    throw new OffstageError(
      'invalid-config',
      "The script's address must not contain a key. Visitors and logs can read it: revoke it, and call a relay by baseURL. See docs/providers/keys.md.",
    )
  const unknown = [...parameters.keys()].filter((name) => !PARAMETERS.includes(name))
  for (const name of unknown) {
    const meant = PARAMETERS.find((known) => known.toLowerCase() === name.toLowerCase())
    if (meant) throw new OffstageError('invalid-config', `${name} must be written ${meant}.`)
  }
  if (unknown.length > 0)
    console.warn(
      `Offstage's copilot has no parameter ${unknown.join(', ')}. It has ${PARAMETERS.join(', ')}.`,
    )
}

function modelOf(
  { provider, model }: Readonly<Record<string, string>>,
  server: URL | null,
): ModelConfig {
  if (provider === 'scripted' || !(provider || model || server))
    return { provider: 'scripted', model: 'script', script: SCRIPT }
  return {
    provider: provider ?? '',
    ...(model && { model }),
    // A relay on the page's own origin may need the visitor's cookies. Other origins get no cookies.
    ...(server && { baseURL: server.href, credentials: 'same-origin' }),
  }
}
