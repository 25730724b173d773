/** A style sheet that a module imports. The bundler merges them into one. */
declare module '*.css';
