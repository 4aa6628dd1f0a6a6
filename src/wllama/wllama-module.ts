/** The import of `@wllama/wllama`. */
export interface WllamaModule {
  /** The engine's class. wllama has its type; `WllamaClass` declares the part that Offstage uses. */
  readonly Wllama: unknown
}

/** The part of wllama 3.8 that Offstage uses. */
export type WllamaClass = new (
  paths: { readonly default: string },
  config: { readonly suppressNativeLog: boolean; readonly logger: WllamaLogger },
) => WllamaInstance

export interface WllamaInstance {
  loadModel(blobs: Blob[], params: object): Promise<void>
  loadModelFromUrl(
    url: string,
    params: {
      readonly signal: AbortSignal
      readonly progressCallback: (progress: { loaded: number; total: number }) => void
    },
  ): Promise<void>
  /**
   * Passes Chat Completions chunks to `onData`, and resolves after the last. wllama's async iterator is avoided:
   * leaving it early causes an unhandled rejection.
   */
  createChatCompletion(options: {
    readonly stream: true
    readonly abortSignal: AbortSignal
    readonly onData: (chunk: unknown) => void
  }): Promise<unknown>
  exit(): Promise<void>
}

interface WllamaLogger {
  debug(...words: unknown[]): void
  log(...words: unknown[]): void
  warn(...words: unknown[]): void
  error(...words: unknown[]): void
}
