/** A model's HTTP request that the page is to make, because a worker may not reach that address. */
export interface ModelFetch {
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly credentials: 'omit' | 'same-origin'
  /** Transferred with the request. Carries `BytesNotice`s to the worker and `BytesWish`es back. */
  readonly bytes: MessagePort
}

/** The head of the answer. `hasBody`: the bytes follow over the port. */
export interface ModelFetchHead {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly hasBody: boolean
}

/** The text of the page's policy that refused the request. */
export interface ModelFetchRefusal {
  readonly refusedBy: string
}

/** A piece of the body (its buffer is transferred), or how the body ended. */
export type BytesNotice =
  | Uint8Array
  | { readonly type: 'end' }
  | { readonly type: 'broken'; readonly message: string }

/** `more`: so many further pieces are welcome. The page starts with `FETCH_WINDOW` of them. */
export type BytesWish =
  | { readonly type: 'more'; readonly pieces: number }
  | { readonly type: 'cancel' }

/** Pieces of a body that the page may send ahead of the worker's reading. */
export const FETCH_WINDOW = 16
