"""Registry of shapes and facts: JSON Schema files, profiles, vocabulary, brands and policies, loaded once.

registry        the files under `schemas/`, with a digest as version
vocabulary      types, properties and enumerations of schema.org
service_types   which of the seventeen mappings a schema.org type has
json_schema     whether a document is valid under a JSON Schema
world           brands, sites, suffixes and policies that decisions rest on
assets          where the packaged files lie
"""

from waypost.registry.registry import Registry, load

__all__ = ["Registry", "load"]
