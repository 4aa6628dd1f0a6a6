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
function getDescriptor(name: string): PropertyDescriptor | undefined {
  const owners = globalThis as unknown as Record<string, { readonly prototype: object } | undefined>
  for (const owner of OWNERS) {
    const prototype = owners[owner]?.prototype
    const found = prototype && Object.getOwnPropertyDescriptor(prototype, name)
    if (found) return found
  }
  return undefined
}

function createGetter<Name extends keyof Document>(name: Name): Read<Name> {
  const get = getDescriptor(name)?.get
  return (document) => get?.call(document) as Document[Name]
}

function createMethod<Name extends keyof Document>(name: Name): Call<Name> {
  const documentMethod = getDescriptor(name)?.value as Method | undefined
  const callMethod = (tree: Tree, ...inputs: never[]): unknown => {
    const method =
      nodeType(tree) === 9 ? documentMethod : (tree as unknown as Record<string, Method>)[name]
    return method?.call(tree, ...inputs)
  }
  return callMethod as unknown as Call<Name>
}

// Hot properties have functions of their own, as in `native.ts`.
const getDefaultView = (getDescriptor('defaultView')?.get ?? nothing) as (
  this: Document,
) => Document['defaultView']
export function defaultView(document: Document): Document['defaultView'] {
  return getDefaultView.call(document)
}

const getDocumentElement = (getDescriptor('documentElement')?.get ?? nothing) as (
  this: Document,
) => HTMLElement
export function documentElement(document: Document): HTMLElement {
  return getDocumentElement.call(document)
}

export const activeElement: Read<'activeElement'> = createGetter('activeElement')
export const adoptedStyleSheets: Read<'adoptedStyleSheets'> = createGetter('adoptedStyleSheets')
export const body: Read<'body'> = createGetter('body')
export const hidden: Read<'hidden'> = createGetter('hidden')
export const implementation: Read<'implementation'> = createGetter('implementation')
export const referrer: Read<'referrer'> = createGetter('referrer')
export const scrollingElement: Read<'scrollingElement'> = createGetter('scrollingElement')
export const styleSheets: Read<'styleSheets'> = createGetter('styleSheets')
export const title: Read<'title'> = createGetter('title')
export const URL: Read<'URL'> = createGetter('URL')
export const addEventListener: Call<'addEventListener'> = createMethod('addEventListener')
export const createElement: Call<'createElement'> = createMethod('createElement')
export const createRange: Call<'createRange'> = createMethod('createRange')
export const createTreeWalker: Call<'createTreeWalker'> = createMethod('createTreeWalker')
export const elementFromPoint: Call<'elementFromPoint'> = createMethod('elementFromPoint')
export const elementsFromPoint: Call<'elementsFromPoint'> = createMethod('elementsFromPoint')
export const execCommand: Call<'execCommand'> = createMethod('execCommand')
export const getAnimations: Call<'getAnimations'> = createMethod('getAnimations')
export const getElementById: Call<'getElementById'> = createMethod('getElementById')
