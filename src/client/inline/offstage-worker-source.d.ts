/** The built worker file as a classic script: gzip, in base64. Provided by the build. */
declare module 'virtual:offstage-worker-source' {
  const source: string
  export default source
}
