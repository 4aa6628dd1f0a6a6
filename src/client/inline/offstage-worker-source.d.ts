/** `inline-worker.js`, which sets the packed worker as a global. Empty in the classic script, which loads it on demand. */
declare module 'virtual:offstage-worker-source' {}
