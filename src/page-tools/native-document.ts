import {
  createGetter,
  findGetter,
  findMethod,
  type Method,
  nodeType,
  nothing,
  type Read,
} from './native.ts'

/**
 * The properties and methods of documents, taken from their prototypes. Named elements of a page hide the document's
 * properties: with `<img name="body">` in the page, `document.body` is that image. `native.ts` does the same for nodes.
 * Methods that documents share with shadow roots work for both.
 */

type Tree = Document | ShadowRoot
type Call<Name extends keyof Document> = Document[Name] extends (
  ...inputs: infer Inputs
) => infer Output
  ? (tree: Tree, ...inputs: Inputs) => Output
  : never

function createMethod<Name extends keyof Document>(name: Name): Call<Name> {
  const documentMethod = findMethod('Document', name) ?? findMethod('EventTarget', name)
  const callMethod = (tree: Tree, ...inputs: never[]): unknown => {
    const method =
      nodeType(tree) === 9 ? documentMethod : (tree as unknown as Record<string, Method>)[name]
    return method?.call(tree, ...inputs)
  }
  return callMethod as unknown as Call<Name>
}

// Frequently read properties have functions of their own, as in `native.ts`.
const getDefaultView = (findGetter('Document', 'defaultView') ?? nothing) as (
  this: Document,
) => Document['defaultView']
export function defaultView(document: Document): Document['defaultView'] {
  return getDefaultView.call(document)
}

const getDocumentElement = (findGetter('Document', 'documentElement') ?? nothing) as (
  this: Document,
) => HTMLElement
export function documentElement(document: Document): HTMLElement {
  return getDocumentElement.call(document)
}

export const activeElement: Read<Document, 'activeElement'> = createGetter(
  'Document',
  'activeElement',
)
export const adoptedStyleSheets: Read<Document, 'adoptedStyleSheets'> = createGetter(
  'Document',
  'adoptedStyleSheets',
)
export const body: Read<Document, 'body'> = createGetter('Document', 'body')
export const hidden: Read<Document, 'hidden'> = createGetter('Document', 'hidden')
export const implementation: Read<Document, 'implementation'> = createGetter(
  'Document',
  'implementation',
)
export const referrer: Read<Document, 'referrer'> = createGetter('Document', 'referrer')
export const scrollingElement: Read<Document, 'scrollingElement'> = createGetter(
  'Document',
  'scrollingElement',
)
export const styleSheets: Read<Document, 'styleSheets'> = createGetter('Document', 'styleSheets')
export const title: Read<Document, 'title'> = createGetter('Document', 'title')
export const URL: Read<Document, 'URL'> = createGetter('Document', 'URL')
export const addEventListener: Call<'addEventListener'> = createMethod('addEventListener')
export const createElement: Call<'createElement'> = createMethod('createElement')
export const createRange: Call<'createRange'> = createMethod('createRange')
export const createTreeWalker: Call<'createTreeWalker'> = createMethod('createTreeWalker')
export const elementFromPoint: Call<'elementFromPoint'> = createMethod('elementFromPoint')
export const elementsFromPoint: Call<'elementsFromPoint'> = createMethod('elementsFromPoint')
export const execCommand: Call<'execCommand'> = createMethod('execCommand')
export const getAnimations: Call<'getAnimations'> = createMethod('getAnimations')
export const getElementById: Call<'getElementById'> = createMethod('getElementById')
