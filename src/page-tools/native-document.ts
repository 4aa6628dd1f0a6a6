import { nodeType, nothing } from './native.ts'

/**
 * The properties and methods of documents, taken from their prototypes. Elements of a page hide a document's own: with
 * `<img name="body">` in it, `document.body` is that image. `native.ts` does the same for nodes. Methods that documents
 * share with shadow roots work for both.
 */

type Tree = Document | ShadowRoot
type Read<Name extends keyof Document> = (document: Document) => Document[Name]
type Call<Name extends keyof Document> = Document[Name] extends (
  ...inputs: infer Inputs
) => infer Output
  ? (tree: Tree, ...inputs: Inputs) => Output
  : never
type Method = (...inputs: never[]) => unknown

const OWNERS = ['Document', 'HTMLDocument', 'EventTarget']

/**
 * Returns undefined on a server, which only loads the package, and for properties that an older browser doesn't have.
 */
function descriptorOf(name: string): PropertyDescriptor | undefined {
  const owners = globalThis as unknown as Record<string, { readonly prototype: object } | undefined>
  for (const owner of OWNERS) {
    const prototype = owners[owner]?.prototype
    const found = prototype && Object.getOwnPropertyDescriptor(prototype, name)
    if (found) return found
  }
  return undefined
}

function read<Name extends keyof Document>(name: Name): Read<Name> {
  const get = descriptorOf(name)?.get
  return (document) => get?.call(document) as Document[Name]
}

function call<Name extends keyof Document>(name: Name): Call<Name> {
  const ofDocument = descriptorOf(name)?.value as Method | undefined
  const calls = (tree: Tree, ...inputs: never[]): unknown => {
    const method =
      nodeType(tree) === 9 ? ofDocument : (tree as unknown as Record<string, Method>)[name]
    return method?.call(tree, ...inputs)
  }
  return calls as unknown as Call<Name>
}

// Hot properties have functions of their own, as in `native.ts`.
const getDefaultView = (descriptorOf('defaultView')?.get ?? nothing) as (
  this: Document,
) => Document['defaultView']
export function defaultView(document: Document): Document['defaultView'] {
  return getDefaultView.call(document)
}

const getDocumentElement = (descriptorOf('documentElement')?.get ?? nothing) as (
  this: Document,
) => HTMLElement
export function documentElement(document: Document): HTMLElement {
  return getDocumentElement.call(document)
}

export const activeElement: Read<'activeElement'> = read('activeElement')
export const adoptedStyleSheets: Read<'adoptedStyleSheets'> = read('adoptedStyleSheets')
export const body: Read<'body'> = read('body')
export const hidden: Read<'hidden'> = read('hidden')
export const implementation: Read<'implementation'> = read('implementation')
export const referrer: Read<'referrer'> = read('referrer')
export const scrollingElement: Read<'scrollingElement'> = read('scrollingElement')
export const styleSheets: Read<'styleSheets'> = read('styleSheets')
export const title: Read<'title'> = read('title')
export const URL: Read<'URL'> = read('URL')
export const addEventListener: Call<'addEventListener'> = call('addEventListener')
export const createElement: Call<'createElement'> = call('createElement')
export const createRange: Call<'createRange'> = call('createRange')
export const createTreeWalker: Call<'createTreeWalker'> = call('createTreeWalker')
export const elementFromPoint: Call<'elementFromPoint'> = call('elementFromPoint')
export const elementsFromPoint: Call<'elementsFromPoint'> = call('elementsFromPoint')
export const execCommand: Call<'execCommand'> = call('execCommand')
export const getAnimations: Call<'getAnimations'> = call('getAnimations')
export const getElementById: Call<'getElementById'> = call('getElementById')
