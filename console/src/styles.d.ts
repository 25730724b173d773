/** A style sheet that a module brings along: the bundle makes one of all. */
declare module '*.css';
