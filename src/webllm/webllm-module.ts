/** `@mlc-ai/web-llm` as it is imported. */
export interface WebLLMModule {
  /** The class. Its types are WebLLM's; `MLCEngineClass` is the part that is used. */
  readonly MLCEngine: unknown
}

/** The part of WebLLM 0.2 that is used (https://webllm.mlc.ai/docs/user/api_reference.html). */
export type MLCEngineClass = new (config: {
  readonly appConfig?: object
  readonly initProgressCallback: (report: { progress: number; text: string }) => void
  readonly logLevel: 'WARN'
}) => MLCEngineInstance

export interface WebLLMRequest {
  readonly stream: true
  readonly messages: readonly unknown[]
  /** WebLLM's `ResponseFormat`. */
  readonly response_format?: object
}

export interface MLCEngineInstance {
  readonly chat: {
    readonly completions: {
      /** Chunks of Chat Completions. */
      create(request: WebLLMRequest): Promise<AsyncIterable<unknown>>
    }
  }
  reload(modelId: string, chatOptions?: object): Promise<void>
  /** Also breaks off a `reload` that is under way. */
  unload(): Promise<void>
  /** Whatever is being generated ends with the finish reason `abort`. */
  interruptGenerate(): Promise<void> | void
}
